"""The page of `gpumemprof html`, for Jupyter and other places that show HTML."""
from __future__ import annotations

import html as escapes
import subprocess
from typing import Any, Dict

from . import _libraries
from ._errors import CAPTURE, Error

_OPTIONS = {"device": "--device", "kind": "--kind", "filter": "--filter", "from": "--from", "to": "--to",
            "names": "--names"}


def html(path: str, settings: Dict[str, Any]) -> str:
    """The page of a capture, with the settings that the command has, too."""
    options = []
    for key, value in settings.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if key in _OPTIONS and one is not None:
                options += [_OPTIONS[key], str(one)]
    made = subprocess.run([_libraries.tool(), "html", *options, "-o", "-", "--", path], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
    if made.returncode:
        raise Error(made.stderr.strip() or f"gpumemprof html ended with status {made.returncode}", CAPTURE)
    return made.stdout


def in_frame(page: str, height: int = 600) -> str:
    """The page as an element of another one: an iframe, so that neither changes the other's styles."""
    return (f'<iframe srcdoc="{escapes.escape(page, quote=True)}" style="width: 100%; height: {height}px; border: 0" '
            'sandbox="allow-scripts" title="gpumemprof"></iframe>')
