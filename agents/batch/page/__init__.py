"""The results of a job as one HTML page."""

from .write import write_page

__all__ = ["write_page"]
