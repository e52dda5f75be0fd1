"""Rules outside the vocabulary: checkers that a model wrote, run only in the sandbox."""

from .check import RuleAnswer, check_rules, judge_plans, rule_violations
from .faults import rule_fault
from .rule import PARAMETERS, SIGNATURE, GeneratedRule

__all__ = [
    "PARAMETERS",
    "SIGNATURE",
    "GeneratedRule",
    "RuleAnswer",
    "check_rules",
    "judge_plans",
    "rule_fault",
    "rule_violations",
]
