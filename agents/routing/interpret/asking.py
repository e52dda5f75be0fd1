"""Rules of questions and commands."""

from .grammar import Match, rule
from .results import Ask, Command, NotUnderstood

_VISIT = r"(?:visits?|serves?|goes to|reaches|supplies|has|carries)"


QUESTION_RULES = (
    rule(
        r"why(?: is| are)?(?: it| this| there| that)?(?: is)?(?: no| not)?(?: feasible)?"
        r"(?: (?:solution|plan|possible|impossible|infeasible|feasible|solvable|answer|way))?"
        r"|what is (?:wrong|problem|to blame)|which (?:constraints?|rules?|customers?)(?: "
        r"(?:is|are))?"
        r" (?:to blame|in way|blocking|wrong|too much|impossible|infeasible)"
        r"|why (?:does|did) (?:it|this|solver) fail|why infeasible|what must change"
        r"|what blocks(?: (?:solution|it|<n\d+>))?|explain(?: infeasibility)?",
        lambda m: Ask("why"),
        "why is there no solution?",
    ),
    rule(
        r"(?:what|how much) (?:does|is|are|would) "
        r"(?:it|plan|that|this|cost|costs|solution|total cost)"
        r"(?: cost)?|how much|costs?|how (?:long|far) (?:is it|are they)(?: in all)?",
        lambda m: Ask("cost"),
        "what does it cost?",
    ),
    rule(
        r"how many (?:vehicles|routes|trucks|vans|drivers|tours)"
        r"(?: (?:are|do|does|is|we|there|it|needed|used|need|use|plan|they))*",
        lambda m: Ask("vehicles"),
        "how many vehicles are used?",
    ),
    rule(
        r"(?:which|what) (?:constraints?|rules?|limits?) (?:is|are) "
        r"(?:tight|tightest|binding|near|critical)"
        r"|(?:how much |what |show )?slack(?: is (?:there|left))?|what is tight",
        lambda m: Ask("slack"),
        "which rules are tight?",
    ),
    rule(
        r"(?:show |what is |give me |print )*(?:schedule|timetable|times)",
        lambda m: Ask("schedule"),
        "show the schedule",
    ),
    rule(
        r"(?:show |what are |give me |print |list )*(?:routes|plan|solution|tours)",
        lambda m: Ask("routes"),
        "show the routes",
    ),
    rule(
        rf"(?:which|what) (?:vehicle|route|truck|driver|van|tour) {_VISIT} {{n}}|who {_VISIT} {{n}}"
        r"|where (?:is|are) {n}|when (?:is|are|do we) (?:{n} )?(?:{visited}|reach|visit)(?: {n})?"
        r"|when (?:is|are) {n}(?: {visited})?|(?:show|what about) {n}",
        lambda m: Ask("visit", m.nodes(0)),
        "which vehicle visits customer 7?",
    ),
    rule(
        r"how good (?:is|are) (?:it|this|that|plan|they|solution)|(?:what is )?gap(?: to "
        r"reference)?"
        r"|is (?:it|this|plan) (?:optimal|good|best)",
        lambda m: Ask("gap"),
        "how good is the plan?",
    ),
    rule(
        r"(?:show |what is |describe )*(?:problem|rules|constraints|analysis|data|fields)"
        r"|what (?:do you know|did you find)",
        lambda m: Ask("problem"),
        "show the problem",
    ),
    rule(
        r"(?:show |what are |which |list )*(?:open )?questions?(?: (?:are|is) (?:open|left))?"
        r"|what must you know|what do you (?:need|want) to know",
        lambda m: Ask("open"),
        "which questions are open?",
    ),
)

COMMAND_RULES = (
    rule(
        r"(?:solve|go|run|start|optimi[sz]e|find (?:solution|plan|routes)|plan(?= ))"
        r"(?: (?:it|this|problem|again|on|routes|for me))*",
        lambda m: Command("solve"),
        "solve",
    ),
    rule(
        r"(?:solve|run|optimi[sz]e|plan)(?: (?:it|this|problem|again))* (?:for|in|within|at "
        r"most) {q}",
        lambda m: Command("solve", _plain_seconds(m)),
        "solve for 20 seconds",
    ),
    rule(
        r"(?:take|apply|make|do)(?: (?:number|option|way|change))? {q}",
        lambda m: Command("take", number=_whole(m)),
        "take 1",
    ),
    rule(
        r"undo(?: (?:it|that|last change))?|take (?:it|that) back",
        lambda m: Command("undo"),
        "undo",
    ),
    rule(r"quit|exit|bye|good ?bye", lambda m: Command("quit"), "quit"),
    rule(r"help|what may i (?:say|do)|\?", lambda m: Command("help"), "help"),
)


def _plain_seconds(match: Match) -> float:
    """Return seconds; a number without a unit is seconds."""
    from .amounts import TIME_UNITS

    quantity = match.values[0]
    return float(quantity.value * TIME_UNITS.get(quantity.unit, 1.0))


def _whole(match: Match) -> int:
    """Return a number of a list."""
    number = match.number(0)
    if number != int(number) or number < 1:
        raise NotUnderstood("the ways out are numbered from 1.")
    return int(number)
