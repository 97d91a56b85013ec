"""What one file of program text says by itself, whatever the other files say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Defined:
    """A function, class or the like.

    Attributes:
        name: Qualified inside the file, with dots: ``Class.method``.
        kind: ``function``, ``method``, ``class``, ``interface``, ``type``, ``enum``, ``module``.
        doc: The first line of its documentation.
    """

    name: str
    kind: str
    lines: tuple[int, int]
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """An import as written.

    Attributes:
        module: The module, path or package; for a relative one of Python with its leading dots.
        names: (name in this file, name there) of what is taken out of it; (name, ``*``) for the module itself.
        is_late: Made inside a function, or for types alone: it closes no circle at the start.
    """

    module: str
    line: int
    names: tuple[tuple[str, str], ...] = ()
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class Called:
    """A call: the function inside which it stands (empty at the top), the thing before the dot, and the name."""

    inside: str
    owner: str
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Source:
    """A file as read.

    Attributes:
        extended: What classes are made from, each as if the class called it.
        problem: What could not be read, in words.
    """

    language: str
    doc: str = ""
    package: str = ""
    defined: tuple[Defined, ...] = ()
    imported: tuple[Imported, ...] = ()
    called: tuple[Called, ...] = ()
    extended: tuple[Called, ...] = ()
    problem: str = ""
