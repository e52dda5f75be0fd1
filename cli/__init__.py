"""The command line: `eurisko ...`."""
