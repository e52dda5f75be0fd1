"""The report of a run as one HTML page that needs no network."""

from .write import write_report

__all__ = ["write_report"]
