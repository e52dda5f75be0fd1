"""Code that runs on the far side: in the fork server (zygote) and in its single-use children.

Its source travels as text, so nothing of the project is opened there. It may import the standard
library, numpy, torch and its own modules (``from .system import …``), nothing else of Eurisko.
"""
