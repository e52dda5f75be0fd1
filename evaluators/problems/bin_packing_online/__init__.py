"""Online bin packing: each item is packed, for good, before the next one is seen."""

from .packing import BinPackingOnline, problem

__all__ = ["BinPackingOnline", "problem"]
