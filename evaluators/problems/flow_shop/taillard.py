"""Taillard's flow-shop instances: his generator, seeds and published upper bounds.

Generator and seeds: E. Taillard, Benchmarks for basic scheduling problems, European Journal of
Operational Research 64 (1993) 278-285, and the program that accompanies it. Upper bounds: the
summary on his web page (groups 20x5 to 200x20), as solvers and papers quote it. Later work has
improved some of the bounds of the groups of 20 machines; published gaps mostly refer to these.
"""

from dataclasses import dataclass

import numpy as np

from ...problem import Array

MODULUS, MULTIPLIER = 2**31 - 1, 16807


@dataclass(frozen=True)
class Group:
    """Ten instances of one size: the seeds of their times, and the upper bounds of makespans."""

    jobs: int
    machines: int
    seeds: tuple[int, ...]
    bounds: tuple[int, ...]


def _group(jobs: int, machines: int, seeds: str, bounds: str) -> Group:
    return Group(jobs, machines, tuple(map(int, seeds.split())), tuple(map(int, bounds.split())))


def taillard_times(seed: int, jobs: int, machines: int) -> Array:
    """Return processing times ``[jobs, machines]``, integers from 1 to 99.

    Lehmer's generator, machine by machine. The original splits the product so that it fits into 32
    bits; Python's integers need no such care, and the quotient is the same double as in C.
    """
    times = np.empty((machines, jobs), dtype=np.int64)
    for place in range(machines * jobs):
        seed = MULTIPLIER * seed % MODULUS
        times.flat[place] = 1 + int(seed / MODULUS * 99)
    return np.ascontiguousarray(times.T)


GROUPS = {
    f"{group.jobs}x{group.machines}": group
    for group in (
        _group(
            20,
            5,
            "873654221 379008056 1866992158 216771124 495070989 402959317 1369363414 "
            "2021925980 573109518 88325120",
            "1278 1359 1081 1293 1235 1195 1234 1206 1230 1108",
        ),
        _group(
            20,
            10,
            "587595453 1401007982 873136276 268827376 1634173168 691823909 73807235 "
            "1273398721 2065119309 1672900551",
            "1582 1659 1496 1377 1419 1397 1484 1538 1593 1591",
        ),
        _group(
            20,
            20,
            "479340445 268827376 1958948863 918272953 555010963 2010851491 1519833303 "
            "1748670931 1923497586 1829909967",
            "2297 2099 2326 2223 2291 2226 2273 2200 2237 2178",
        ),
        _group(
            50,
            5,
            "1328042058 200382020 496319842 1203030903 1730708564 450926852 1303135678 "
            "1273398721 587288402 248421594",
            "2724 2834 2621 2751 2863 2829 2725 2683 2552 2782",
        ),
        _group(
            50,
            10,
            "1958948863 575633267 655816003 1977864101 93805469 1803345551 49612559 "
            "1899802599 2013025619 578962478",
            "2991 2867 2839 3063 2976 3006 3093 3037 2897 3065",
        ),
        _group(
            50,
            20,
            "1539989115 691823909 655816003 1315102446 1949668355 1923497586 1805594913 "
            "1861070898 715643788 464843328",
            "3850 3704 3640 3723 3610 3681 3704 3691 3743 3756",
        ),
        _group(
            100,
            5,
            "896678084 1179439976 1122278347 416756875 267829958 1835213917 1328833962 "
            "1418570761 161033112 304212574",
            "5493 5268 5175 5014 5250 5135 5246 5094 5448 5322",
        ),
        _group(
            100,
            10,
            "1539989115 655816003 960914243 1915696806 2013025619 1168140026 1923497586 "
            "167698528 1528387973 993794175",
            "5770 5349 5676 5781 5467 5303 5595 5617 5871 5845",
        ),
        _group(
            100,
            20,
            "450926852 1462772409 1021685265 83696007 508154254 1861070898 26482542 "
            "444956424 2115448041 118254244",
            "6202 6183 6271 6269 6314 6364 6268 6401 6275 6434",
        ),
        _group(
            200,
            10,
            "471503978 1215892992 135346136 1602504050 160037322 551454346 519485142 "
            "383947510 1968171878 540872513",
            "10862 10480 10922 10889 10524 10329 10854 10730 10438 10675",
        ),
        _group(
            200,
            20,
            "2013025619 475051709 914834335 810642687 1019331795 2056065863 1342855162 "
            "1325809384 1988803007 765656702",
            "11195 11203 11281 11275 11259 11176 11360 11334 11192 11284",
        ),
    )
}
