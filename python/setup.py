"""Builds the package with the version of the project, and writes it into the package in place of the file that looks it up."""
import pathlib
import re

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent / "CMakeLists.txt"


def version():
    """From CMakeLists.txt; in an archive of the sources, from what was written there."""
    if PROJECT.exists():
        return re.findall(r"^project\(gpumemprof VERSION ([\d.]+)", PROJECT.read_text(encoding="utf-8"), re.M)[0]
    return re.findall(r"^Version: (\S+)", (HERE / "PKG-INFO").read_text(encoding="utf-8"), re.M)[0]


class Build(build_py):
    def run(self):
        super().run()
        written = pathlib.Path(self.build_lib) / "gpumemprof/_version.py"
        if written.exists():
            written.write_text(f'"""The version."""\nversion: str = "{version()}"\n', encoding="utf-8")


setup(version=version(), cmdclass={"build_py": Build})
