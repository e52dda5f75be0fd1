"""A small routing problem and samples of every change, with what each does to plans."""

import json

# A line: depot at 0, customers 1 … 6 at 10, 20, … 60 from it, one unit of time for one of distance.
NODES = [{"id": "0", "kind": "depot", "x": 0, "y": 0}]
NODES += [{"id": str(n), "x": 10 * n, "y": 0, "delivery": n} for n in range(1, 7)]
TEXT = json.dumps({"nodes": NODES, "vehicles": [{"capacity": 21, "count": 6}]})

ALL = ((0, 1, 2, 3, 4, 5, 6, 0),)
TWO = ((0, 1, 2, 3, 0), (0, 4, 5, 6, 0))
BACK = ((0, 6, 5, 4, 3, 2, 1, 0),)

# change, a plan that keeps it, one that breaks it, the rule that is broken
EFFECTS: list[tuple[dict, tuple, tuple, str]] = [
    ({"kind": "route_limit", "measure": "distance", "limit": 120}, ALL, (*ALL,), ""),
    ({"kind": "route_limit", "measure": "duration", "limit": 119}, (), ALL, "duration_limit"),
    ({"kind": "route_limit", "measure": "driving", "limit": 119}, (), ALL, "driving_limit"),
    ({"kind": "route_limit", "measure": "distance", "limit": 119}, (), ALL, "distance_limit"),
    ({"kind": "incompatible", "customers": ["3", "5"]}, TWO, ALL, "incompatible"),
    ({"kind": "capacity", "capacity": 15}, TWO, ALL, "capacity"),
    ({"kind": "fleet_size", "count": 1}, ALL, TWO, "fleet"),
    ({"kind": "return", "rule": "open"}, ((0, 1, 2, 3, 4, 5, 6),), ALL, "open"),
    ({"kind": "optional", "customers": ["6"]}, ((0, 1, 2, 3, 4, 5, 0),), (), ""),
    ({"kind": "optional", "customers": ["6"]}, (), ((0, 1, 2, 3, 4, 6, 0),), "visit"),
    ({"kind": "windows", "customers": ["6"], "intervals": [[None, 60]]}, ALL, BACK[:0], ""),
    (
        {"kind": "windows", "customers": ["1"], "intervals": [[None, 30]]},
        ALL,
        BACK,
        "time_windows",
    ),
    ({"kind": "precedence", "before": "1", "after": "6"}, ALL, BACK, "precedence"),
    ({"kind": "pair", "pickup": "1", "delivery": "6"}, ALL, TWO, "pickup_delivery"),
    (
        {"kind": "site_rule", "customers": ["6"], "vehicles": [1], "only": False},
        (ALL[0], 1),
        (ALL[0], 0),
        "site_dependence",
    ),
    (
        {"kind": "site_rule", "customers": ["6"], "vehicles": [2]},
        (ALL[0], 1),
        (ALL[0], 0),
        "site_dependence",
    ),
    (
        {"kind": "skill", "customers": ["6"], "vehicles": [2], "skill": "crane"},
        (ALL[0], 1),
        (ALL[0], 0),
        "skills",
    ),
    ({"kind": "shift", "latest": 119}, TWO[:0], ALL, "time_windows"),
    ({"kind": "service_time", "time": 5}, ALL, (), ""),
    ({"kind": "trips", "trips": 2}, ((0, 1, 2, 3, 0, 4, 5, 6, 0),), (), ""),
    ({"kind": "trips", "trips": 1}, (), ((0, 1, 2, 3, 0, 4, 5, 6, 0),), "depot"),
    ({"kind": "breaks", "after": 100, "length": 5}, (), ALL, "breaks"),
    ({"kind": "demand", "customers": ["1"], "amount": 2}, TWO, ALL, "capacity"),
]

SAMPLES: list[dict] = [one[0] for one in EFFECTS] + [
    {"kind": "drop", "customers": ["3"]},
    {"kind": "required"},
    {"kind": "release", "customers": ["2"], "time": 7},
    {"kind": "lifo", "on": False},
    {"kind": "objective", "order": ["vehicles", "cost"]},
    {"kind": "rounding", "rule": "nearest"},
    {"kind": "speed", "speed": 2.0},
    {"kind": "units", "time": "min"},
    {"kind": "without", "rule": "capacity"},
    {"kind": "vehicle_cost", "fixed": 5.0},
    {"kind": "load_rule", "rule": "backhaul"},
]
