"""Sample answers of models: the nearest node, in all the forms that the tests need."""

import numpy as np

from eurisko.prompts import Reply, parse_heuristic

FUNCTION = "select_next_node"
PARAMETERS = ("current_node", "destination_node", "unvisited_nodes", "distance_matrix")
HEADER = f"def {FUNCTION}({', '.join(PARAMETERS)}):"
IDEA = "Visit the node that is nearest to the current one."

NEAREST = f"""\
import numpy as np

{HEADER}
    distances = distance_matrix[current_node][unvisited_nodes]
    return unvisited_nodes[np.argmin(distances)]"""
FARTHEST = NEAREST.replace("argmin", "argmax")  # the draft: it must never be the answer
DRAFT = f"```python\n{FARTHEST}\n```"
ANSWER = f"{{{IDEA}}}\n\n```python\n{NEAREST}\n```"


def parse(text: str, **more: bool) -> Reply:
    """Parse for the scalar interface."""
    return parse_heuristic(text, FUNCTION, PARAMETERS, **more)


def next_node(code: str) -> int:
    """Run a program on nodes 0 to 3 in a row, from node 0: 1 is nearest, 3 is farthest."""
    space: dict = {}
    exec(compile(code, "<test>", "exec"), space)  # our own text, not a model's
    places = np.arange(4.0)
    return space[FUNCTION](0, 0, np.array([1, 2, 3]), abs(places[:, None] - places[None, :]))


HELPERS = f"""\
import numpy as np

ALPHA = 0.25
WEIGHTS = {{"near": ALPHA, "far": 1 - ALPHA}}


class Scale:
    factor = 2.0


def score(row, nodes):
    return row[nodes] * WEIGHTS["near"] * Scale.factor


{HEADER}
    return unvisited_nodes[np.argmin(score(distance_matrix[current_node], unvisited_nodes))]"""
BRACES = f"""\
import numpy as np

{HEADER}
    seen = {{int(node) for node in unvisited_nodes}}
    scores = {{node: distance_matrix[current_node][node] for node in seen}}
    label = f"{{current_node}} has {{len(scores)}} {{'{{}}'}}"
    return min(scores, key=scores.get) if label else {{}}"""
NO_IMPORT = f"""\
{HEADER}
    row = distance_matrix[current_node]
    heap = [(row[node], int(node)) for node in unvisited_nodes]
    heapq.heapify(heap)
    best = np.asarray(heap[0][1])
    return int(best) if math.isfinite(float(best)) else next(itertools.count())"""
