"""Vehicle-routing data: file readers, constraints, checkers."""

from .tsplib import TsplibError, TsplibInstance, TsplibTour, read_instance, read_tour

__all__ = ["TsplibError", "TsplibInstance", "TsplibTour", "read_instance", "read_tour"]
