"""What the reports share: one HTML file that needs no network, its style, charts and safety."""

from .render import embedded, number, percent, render, save, signed

__all__ = ["embedded", "number", "percent", "render", "save", "signed"]
