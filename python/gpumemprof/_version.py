"""The version: that of the project in CMakeLists.txt. An installed package has a file with the number in place of this one."""
import pathlib
import re

_text = (pathlib.Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text(encoding="utf-8")
version: str = re.findall(r"^project\(gpumemprof VERSION ([\d.]+)", _text, re.M)[0]
