"""Vehicle-routing data: file readers, constraints, checkers."""
