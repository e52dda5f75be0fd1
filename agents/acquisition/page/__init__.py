"""The report of an optimisation as one HTML page."""

from .write import write_report

__all__ = ["write_report"]
