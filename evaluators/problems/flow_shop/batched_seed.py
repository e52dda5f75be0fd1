"""NEH: jobs with much work are inserted first."""

import torch


def rank_jobs(times: torch.Tensor) -> torch.Tensor:
    """Return the total processing time of each job."""
    return times.sum(dim=2)
