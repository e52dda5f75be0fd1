"""Looking ahead: what a plan of the whole rest of the tour says about each next city.

The plan is a path from the current city through all unvisited ones to the start, built by farthest
insertion (Rosenkrantz, Stearns and Lewis 1977) and made anew in each step, in O(n²) per instance. A
city's detour is what the plan gets longer when the city is moved to its front: zero for the city that
is first already, negative where the move improves the plan.
"""

from ...grammar import Routine

__all__ = ["DETOURS"]

# `edge` is the length of the way that leaves each city of the path; -1e9 keeps others from being
# chosen. `far` is the distance to the path, -1 for cities that are on it or not in question.
_BATCHED = '''
def plan_detours(current, start, unvisited, distances):
    """Extra length of each city as the next one of a tour planned by farthest insertion."""
    rows = torch.arange(len(current), device=current.device)
    step = distances[rows, current]
    after = start[:, None].expand(unvisited.shape).clone()
    edge = torch.full_like(step, -1e9)
    edge[rows, current] = step[rows, start]
    far = torch.where(unvisited, torch.minimum(step, distances[rows, start]), -1.0)
    for _ in range(int(unvisited.sum(1).max())):
        city = far.max(1).indices
        row = distances[rows, city]
        left = (row + row.gather(1, after) - edge).min(1).indices
        right = after[rows, left]
        after[rows, left], after[rows, city] = city, right
        edge[rows, left], edge[rows, city] = row[rows, left], row[rows, right]
        far = torch.minimum(far, row)
        far[rows, city] = -1.0
    places = torch.arange(step.shape[1], device=current.device).expand(after.shape)
    before = torch.zeros_like(after).scatter(1, after, places)
    near = distances.gather(2, before[:, :, None])[:, :, 0]
    onward = distances.gather(2, after[:, :, None])[:, :, 0]
    closed = distances[rows[:, None], before, after]
    first = after[rows, current]
    moved = step + distances[rows, first] - step[rows, first][:, None]
    return torch.where(places == first[:, None], 0.0, moved - (near + onward - closed))
'''
_SCALAR = '''
def plan_detours(current_node, destination_node, unvisited_nodes, distance_matrix):
    """Extra length of each node as the next one of a tour planned by farthest insertion."""
    step = distance_matrix[current_node]
    places = np.arange(len(step))
    after = np.full(len(step), destination_node)
    edge = np.full(len(step), -1e9)
    edge[current_node] = step[destination_node]
    far = np.full(len(step), -1.0)
    far[unvisited_nodes] = np.minimum(step, distance_matrix[destination_node])[unvisited_nodes]
    for _ in unvisited_nodes:
        city = far.argmax()
        row = distance_matrix[city]
        left = (row + row[after] - edge).argmin()
        right = after[left]
        after[left], after[city] = city, right
        edge[left], edge[city] = row[left], row[right]
        far = np.minimum(far, row)
        far[city] = -1.0
    before = np.zeros(len(step), dtype=np.int64)
    before[after] = places
    gone = distance_matrix[before, places] + distance_matrix[places, after]
    gone = gone - distance_matrix[before, after]
    first = after[current_node]
    moved = step + distance_matrix[first] - step[first]
    return np.where(places == first, 0.0, moved - gone)[unvisited_nodes]
'''

DETOURS = Routine("plan_detours", {"batched": _BATCHED, "scalar": _SCALAR})
