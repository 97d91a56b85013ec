"""JSON for those in a hurry: what the standard library's module does, without what it imports.

``json`` itself loads the regular expressions, for readers and writers that it then does not use: a third of the time in
which a hook starts. The two functions below call its parts in C; where a Python has none, they call the module.
"""

from __future__ import annotations

try:
    import _json
except ImportError:  # another Python
    _json = None  # type: ignore[assignment]

_SPACE = " \t\n\r"


class _Rules:
    """How the reader in C is told to read: as ``json.loads`` does."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__
    memo: dict[str, str] = {}  # noqa: RUF012 - the reader of some versions looks for it


def read_json(text: str) -> object:
    """Return the value of a JSON text.

    Raises:
        ValueError: It is none.
        RecursionError: It is nested without end.
    """
    try:
        scan = _json.make_scanner(_Rules())  # type: ignore[arg-type] # whatever has these attributes will do
    except (AttributeError, TypeError):
        import json  # noqa: PLC0415 - only where the parts in C are missing or have changed

        return json.loads(text)
    text = text.strip(_SPACE)
    try:
        value, end = scan(text, 0)
    except (StopIteration, SystemError) as error:
        # The second is how some versions fail to raise the error class of a module that nobody has loaded.
        raise ValueError("not JSON") from error
    if end != len(text):
        raise ValueError("more than one value")
    return value


def write_json(value: object) -> str:
    """Return a value as ``json.dumps`` writes it, in ASCII.

    Raises:
        TypeError: It is no value that JSON knows.
    """
    try:
        # Without a check for cycles, indenting, sorted keys and skipped keys; numbers that JSON lacks are let through.
        options = (None, _refuse, _json.encode_basestring_ascii, None, ": ", ", ", False, False, True)
        write = _json.make_encoder(*options)
    except (AttributeError, TypeError):
        import json  # noqa: PLC0415 - as above

        return json.dumps(value)
    return "".join(write(value, 0))


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no JSON value")
