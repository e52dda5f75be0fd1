"""The command line: ``eurisko ...``."""
