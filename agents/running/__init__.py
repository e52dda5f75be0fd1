"""What the runs of all workflows share: budgets, stored model calls, random streams, how they end."""
