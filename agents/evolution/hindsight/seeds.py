"""The five insights that a new pool starts with (HiFo-Prompt, section 3.2; the wording is ours).

They are hints that a strategy without hindsight does not get: comparisons should switch them off
(``seeds=False``) or say so.
"""

SEED_INSIGHTS = (
    "Combine two or three complementary criteria and shift the weight between them as the solution "
    "takes shape, instead of following one criterion throughout.",
    "Look for regularities in the instance, such as clusters, outliers or dominating sizes, and let "
    "them bias the choices.",
    "Score a choice by more than its immediate cost: an estimate of what it forces later on often "
    "separates options that look equal now.",
    "Choose quantities that fit the structure of the problem, such as ranks, ratios or regrets, so "
    "that the rule does not depend on scale.",
    "Keep a controlled way out of local traps: let a promising exception win now and then, steered "
    "by features of the partial solution.",
)
