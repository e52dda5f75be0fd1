"""Package discovery: the repository root is the package `eurisko`.

The list of packages is computed, so that a new folder can never be missing from a wheel.
"""

from setuptools import find_packages, setup

ROOMS = ("agents", "cli", "dashboard", "evaluators", "knowledge_base", "prompts", "sandbox")
FOUND = find_packages(".", include=[pattern for room in ROOMS for pattern in (room, f"{room}.*")])

setup(
    packages=["eurisko", *(f"eurisko.{name}" for name in FOUND)],
    package_dir={"eurisko": "."},
    package_data={
        "eurisko": ["py.typed"],
        **{
            f"eurisko.{name}": ["*.j2", "*.md", "*.mako", "*.npz", "*.json", "py.typed"]
            for name in FOUND
        },
    },
)
