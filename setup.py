"""Package discovery: the repository root is the package `eurisko`.

The list of packages is computed, so that a new folder can never be missing from a wheel.
"""

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

ROOMS = ("agents", "cli", "dashboard", "evaluators", "knowledge_base", "prompts", "sandbox")
FOUND = find_namespace_packages(
    ".",
    include=[pattern for room in ROOMS for pattern in (room, f"{room}.*")],
    exclude=["*__pycache__*"],
)
DATA = ["*.j2", "*.md", "*.mako", "*.npz", "*.json", "*.tsp", "*.txt", "*.html", "*.css", "*.js"]


class BuildPackage(build_py):
    """Leave this script out of the package whose root is its own folder."""

    def find_package_modules(self, package, package_dir):
        """Return the modules of a package without the build script."""
        modules = super().find_package_modules(package, package_dir)
        return [one for one in modules if one[:2] != ("eurisko", "setup")]


setup(
    cmdclass={"build_py": BuildPackage},
    packages=["eurisko", *(f"eurisko.{name}" for name in FOUND)],
    package_dir={"eurisko": "."},
    package_data={"eurisko": ["py.typed"], **{f"eurisko.{name}": DATA for name in FOUND}},
)
