"""What flow_shop_gls is, for users, prompts and the database."""

from importlib.resources import files

from ...problem import Interface, ProblemSpec

FLOW_SHOP = __package__.removesuffix("_gls")
IMPORT = "from ..flow_shop.batched_driver import"


def _text(name: str, package: str = __package__) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _driver(interface: str) -> str:
    """Return flow_shop's insertion, the solver, and a ``solve`` that calls the heuristic."""
    lines = _text("solver.py").splitlines(keepends=True)
    own = "".join(line for line in lines if not line.startswith(IMPORT))
    return _text("batched_driver.py", FLOW_SHOP) + (
        f"\n\n{own}\n\ndef solve(heuristic, inputs, device):\n"
        f"    return search({interface}_guide(heuristic), inputs, device)\n"
    )


_DESCRIPTION = (
    "Guide a local search to orders of jobs with a small makespan in a permutation flow shop: every "
    "job visits machine 0, 1, 2, ... in this sequence, every machine works on one job at a time, "
    "and all machines process the jobs in the same order. The search (insertion of a job at another "
    "position, and swaps of jobs at most 6 positions apart) has reached a local optimum; the "
    "heuristic returns perturbed processing times, and up to 5 jobs. These jobs are moved while "
    "that makes the makespan of the perturbed times smaller, at most 3 times, and then the local "
    "search goes on with all jobs and true times. This is done 50 times from the order of NEH; "
    "every 10th time the best order so far is taken up again. The aim is a small mean gap between "
    "the best makespans and known bounds, on instances that the heuristic has not seen."
)
_NOTES = (
    "The function is called 50 times{unit}. Times must be finite; negative ones count as 0; only "
    "their ratios matter. Where the perturbed times equal the true ones, no job moves. There is no "
    "counter of the iteration: what depends on the order only does the same to the same order, so "
    "random numbers help; they start from the same seed in every evaluation. Only torch, numpy and "
    "the standard library are available."
)
_SEED = (
    "Noising: raise every time by a random share of 0 to 100 %, and move the five jobs whose total "
    "times rise by the largest shares."
)

SPEC = ProblemSpec(
    name="flow_shop_gls",
    version="1",
    title="Permutation flow shop, guided local search",
    description=_DESCRIPTION,
    measure="makespan",
    default_interface="batched",
    seconds_per_instance=4.0,
    memory_factor=320.0,
    interfaces={
        "batched": Interface(
            name="batched",
            function="perturb",
            parameters=("sequences", "times"),
            signature="def perturb(sequences, times):",
            inputs=(
                "All inputs are torch tensors on one device; B instances of N jobs and M machines "
                "advance together.\n"
                "sequences: int64 [B, N], the locally optimal orders of the jobs.\n"
                "times: float64 [B, N, M], processing time of each job on each machine."
            ),
            outputs=(
                "A tuple of a float64 tensor [B, N, M], the perturbed times, and an int64 tensor "
                "[B, K], the numbers of the jobs to move, -1 for none; the first 5 columns count, "
                "and each row needs a job there."
            ),
            notes=_NOTES.format(unit=", for all instances: use tensor operations"),
            seed=_text("batched_seed.py"),
            seed_thought=_SEED,
            driver=_driver("batched"),
            demo=_text("batched_demo.py.txt"),
        ),
        "scalar": Interface(
            name="scalar",
            function="get_matrix_and_jobs",
            parameters=("current_sequence", "time_matrix", "m", "n"),
            signature="def get_matrix_and_jobs(current_sequence, time_matrix, m, n):",
            inputs=(
                "current_sequence: list of n integers, the locally optimal order of the jobs.\n"
                "time_matrix: numpy float64 array [n, m], processing time of each job on each "
                "machine.\n"
                "m: number of machines.\n"
                "n: number of jobs."
            ),
            outputs=(
                "A tuple of a numpy array [n, m], the perturbed times, and a list of the numbers of "
                "the jobs to move, at least one; the first 5 count."
            ),
            notes=_NOTES.format(unit=" per instance"),
            seed=_text("scalar_seed.py"),
            seed_thought=_SEED,
            driver=_driver("scalar"),
            demo=_text("scalar_demo.py.txt"),
        ),
    },
    splits={
        "search": ("random-50x10x8-search",),
        "validation": ("random-100x10x4-validation",),
        "test": tuple(
            f"taillard-{size}" for size in ("20x10", "20x20", "50x10", "50x20", "100x10", "100x20")
        ),
    },
)
