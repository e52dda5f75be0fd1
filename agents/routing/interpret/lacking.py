"""What users ask for and no rule of the vocabulary can say: it is named, not merely refused."""

import re

_LACKING = (
    (
        r"traffic|rush ?hour|congestion|time of (?:the )?day|slower in the",
        "travel times that depend on the time of day are not modelled",
    ),
    (
        r"\bsoft\b|overtime|lateness|\blate(?:r)? (?:is )?(?:ok|allowed|costs)|may be late",
        "windows and limits are hard: no plan may break them at a price",
    ),
    (
        r"\bsplit\b.*(?:demand|load|deliver|order)|several visits|in two (?:visits|trips|parts)",
        "a customer is served in one visit; enter it as several customers to split its demand",
    ),
    (
        r"at least \d+ (?:vehicles?|trucks?|vans?|drivers?|routes?)|use all (?:the "
        r")?(?:vehicles|trucks|vans)"
        r"|every (?:vehicle|truck|van|driver) must be used",
        "there is no rule for a least number of vehicles; 'balance the routes' spreads the work",
    ),
    (
        r"lunch|(?:break|rest|pause).*(?:between|at) \d{1,2}[: ]",
        "breaks follow from driving time, not from the clock: 'a break of 45 min after 4.5 h of "
        "driving'",
    ),
    (
        r"at the same time|simultaneous|two (?:crews|drivers|vehicles) "
        r"(?:at|for|together)|synchron",
        "visits of several vehicles at one time are not modelled",
    ),
    (
        r"(?:already|done|finished|visited) (?:stops|customers)|freeze|fixed start|warm "
        r"start|re-?plan",
        "plans begin at depots; drop the customers that are done and solve again",
    ),
    (
        r"\bturns?\b|u-turn|\broads?\b|toll|ferry|bridge",
        "only distances and times between customers are known, not the roads",
    ),
    (
        r"same (?:driver|vehicle) (?:every|each) (?:day|week)|next day|tomorrow|multi-?day|weekly",
        "a plan is of one period; there are no days",
    ),
)


def lacking(text: str) -> str:
    """Return the sentence on what a text asks for that no rule can say, or nothing."""
    lower = text.lower()
    return next((words for pattern, words in _LACKING if re.search(pattern, lower)), "")
