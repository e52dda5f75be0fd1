"""The knowledge base: runs, candidates, evaluations and model calls in SQL."""
