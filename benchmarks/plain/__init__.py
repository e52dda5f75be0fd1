"""Plain single-instance Python loops that decide as the product does; one module per problem."""
