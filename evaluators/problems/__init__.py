"""The problem library: one folder per problem."""
