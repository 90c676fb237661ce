"""Tables of pandas, whose types hold every value exactly and go into Parquet as they are: no column has Python's objects."""
from __future__ import annotations

from typing import Any, Dict, List

from . import _reader
from ._errors import Error

TYPES = {"text": "string", "flag": "boolean", "percent": "Float64", "signed percent": "Float64"}


def _type(values: List[Any], unit: str) -> str:
    """Whole numbers are signed, so that a difference can be negative, unless one is 2**63 or more: an address, or a size that a
    program computed wrongly."""
    if unit not in _reader.WHOLE:
        return TYPES[unit]
    return "UInt64" if any(value is not None and value >= 2**63 for value in values) else "Int64"


def frame(columns: Dict[str, List[Any]], units: Dict[str, str]) -> Any:
    """A DataFrame of these columns; None is a missing value. A column is made from objects: pandas would take integers with a
    missing value for floats, which are exact only below 2**53."""
    try:
        import pandas
    except ImportError:
        raise Error("to_pandas() and frame=True need pandas, which is not installed here: install it (pip install pandas), "
                    "or use the rows as they are, a list of dictionaries") from None
    made = pandas.DataFrame({key: pandas.Series(columns[key], dtype=object).astype(_type(columns[key], unit))
                             for key, unit in units.items()}, columns=list(units))
    made.attrs["units"] = dict(units)
    return made
