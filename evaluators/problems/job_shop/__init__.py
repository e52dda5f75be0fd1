"""Job shop: a dispatching rule chooses which waiting job a machine takes next."""

from .shop import JobShop, problem

__all__ = ["JobShop", "problem"]
