"""What the name of a problem type claims: MDOCVRPMBLTW, EOCVRPTW, VRPB, SOP, …"""

import re
from dataclasses import dataclass

_GRID = re.compile(
    r"(?P<depots>MD)?(?P<electric>E)?(?P<open>O)?(?P<kind>AC|C|)VRP"
    r"(?P<load>MB|B)?(?P<limit>L)?(?P<windows>TW)?"
)
_NAMED = {
    "TSP": {"single"},
    "ATSP": {"single", "asymmetric"},
    "SOP": {"single", "open", "precedence", "asymmetric"},
    "PDPTW": {"pairs", "windows"},
    "HFVRP": {"fleet"},
    "GVRP": {"groups"},
    "MDVRPTW": {"depots", "windows"},
    "MTVRPTWR": {"trips", "windows", "release"},
    "PCVRPTW": {"prizes", "windows", "capacity"},
    "SDVRPTW": {"sites", "windows"},
    "VRPB": {"backhaul"},
    "VRPTW": {"windows"},
}


@dataclass(frozen=True)
class TypeClaims:
    """``known`` is False where the name is none of the grid and no usual one."""

    known: bool
    claims: frozenset[str]


def read_type(name: str) -> TypeClaims:
    """Return what a TYPE header claims; features it does not mention are not denied by it."""
    word = name.upper()
    if word in _NAMED:
        return TypeClaims(True, frozenset(_NAMED[word]))
    match = _GRID.fullmatch(word)
    if match is None:
        return TypeClaims(False, frozenset())
    found = match.groupdict()
    claims = {key for key in ("depots", "electric", "open", "limit", "windows") if found[key]}
    claims |= {"capacity"} if found["kind"] else set()
    claims |= {"asymmetric"} if found["kind"] == "AC" else set()
    if found["load"]:
        claims.add("mixed" if found["load"] == "MB" else "backhaul")
    return TypeClaims(True, frozenset(claims))
