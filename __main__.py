"""Run the command line with ``python -m eurisko``."""

from .cli.main import main

main()
