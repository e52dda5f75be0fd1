"""Create verified vehicle-routing solvers from a conversation (AFL)."""
