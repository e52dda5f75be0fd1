"""What acquisition is, for users, prompts and the database."""

from importlib.resources import files

from ...problem import Interface, ProblemSpec


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def driver(interface: str) -> str:
    """Return the solver, which both interfaces share, with what calls the heuristic."""
    return _text("solver.py") + (
        "\n\ndef solve(heuristic, inputs, device):\n"
        f"    return search({interface}_utility(heuristic), inputs, device)\n"
        "\n\ndef start(heuristic, inputs, device):\n"
        f"    return stepwise({interface}_utility(heuristic), inputs, device)\n"
    )


def scoring_driver(interface: str) -> str:
    """Return a driver that scores one set of candidates after the other, of a posterior elsewhere."""
    return _text("solver.py") + (
        "\n\ndef start(heuristic, inputs, device):\n"
        f"    return scoring({interface}_utility(heuristic))\n"
    )


_DESCRIPTION = (
    "Find a small value of an expensive unknown function with few evaluations, by Bayesian "
    "optimisation. A Gaussian process (Matern-5/2, length scale fitted anew after every evaluation) "
    "gives the mean and the standard deviation of the function at 600 candidate points. The "
    "heuristic is the acquisition function: it scores all candidates, and the one of highest score "
    "that has not been evaluated is evaluated next. After 5 given points there are 20 evaluations "
    "(in some tests 40). The functions have 2 to 4 dimensions and are of several kinds: samples of "
    "Gaussian processes, curved valleys, bowls with many local minima, exponential walls with a "
    "narrow basin, plains with several basins; the model fits some of them badly. The aim is a small "
    "regret, the difference between the best value found and the least one, on average over the "
    "evaluations and at the end, "
    "on functions that the heuristic has not seen."
)
_INPUTS = (
    "mean: {array}, posterior means; small values are wanted. Values are standardised: the values "
    "observed so far have mean 0 and standard deviation 1.\n"
    "std: {array}, posterior standard deviations in the same units, from 1e-6 (near an evaluated "
    "point) to 1 (far from all).\n"
    "best: {number}, the least value observed so far.\n"
    "remaining: {number}, the share of the evaluations that is left, from 1 at the first call down "
    "to 1 / 20 at the last one.\n"
    "dimension: {number}, of the function, 2 to 4.\n"
    "count: {number}, how many values have been observed, from 5."
)
_NOTES = (
    "The function is called 20 times{unit}. Scores must not be NaN; only their order matters. Scores "
    "of points that have been evaluated are ignored. Use no randomness. Only torch, numpy and the "
    "standard library are available."
)
_PARAMETERS = ("mean", "std", "best", "remaining", "dimension", "count")
_SIGNATURE = f"def utility({', '.join(_PARAMETERS)}):"
_SEED = "Expected improvement: evaluate where the best value is expected to fall most."

SPEC = ProblemSpec(
    name="acquisition",
    version="1",
    title="Bayesian optimisation, acquisition function",
    description=_DESCRIPTION,
    measure="regret in % of that of a median point",
    default_interface="batched",
    seconds_per_instance=0.1,
    memory_factor=50.0,
    interfaces={
        "batched": Interface(
            name="batched",
            function="utility",
            parameters=_PARAMETERS,
            signature=_SIGNATURE,
            inputs=(
                "All inputs are float64 torch tensors on one device; B functions with N candidates "
                "each are optimised together.\n" + _INPUTS.format(array="[B, N]", number="[B, 1]")
            ),
            outputs=(
                "A float64 tensor [B, N] of scores. In each row the candidate of highest score is "
                "evaluated next; equal scores go to the lowest index."
            ),
            notes=_NOTES.format(unit=", for all functions at once: use tensor operations"),
            seed=_text("batched_seed.py"),
            seed_thought=_SEED,
            driver=driver("batched"),
            demo=_text("batched_demo.py.txt"),
        ),
        "scalar": Interface(
            name="scalar",
            function="utility",
            parameters=_PARAMETERS,
            signature=_SIGNATURE,
            inputs=_INPUTS.format(array="numpy float64 array [N]", number="float"),
            outputs=(
                "A numpy array [N] of scores. The candidate of highest score is evaluated next; "
                "equal scores go to the lowest index."
            ),
            notes=_NOTES.format(unit=" per function"),
            seed=_text("scalar_seed.py"),
            seed_thought=_SEED,
            driver=driver("scalar"),
            demo=_text("scalar_demo.py.txt"),
        ),
    },
    splits={
        "search": ("mixed-25-search",),
        "validation": ("mixed-25-validation",),
        "test": ("mixed-25-test", "mixed-45-test", "known-25-test"),
    },
)
