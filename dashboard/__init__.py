"""The web page: runs, plots, lineage."""
