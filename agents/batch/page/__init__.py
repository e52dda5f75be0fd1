"""The results of a job as one HTML page."""

from .write import write_results

__all__ = ["write_results"]
