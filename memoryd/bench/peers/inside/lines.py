"""What runs in a peer's environment answers lines; what the peer itself prints goes elsewhere."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any


def answer_lines(duties: Mapping[str, Callable[..., dict[str, Any]]]) -> None:
    """Answer ``{"do": name, …}`` by calling a duty with the other fields, until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library that prints would spoil the answers
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = duties[asked.pop("do")](**asked)
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its answer
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
