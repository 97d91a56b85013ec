"""JSON as the standard library reads and writes it, by what loads faster."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import clients.jsontext
from clients.jsontext import read_json, write_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_values_come_back_and_are_written_alike(value: object) -> None:
    assert write_json(value) == json.dumps(value)
    assert read_json(f" {json.dumps(value)}\r\n") == value


@given(st.text(alphabet='{}[]",:012eE.-+ \n\\uabtrfnls', max_size=10))
def test_texts_are_read_or_refused_alike(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            read_json(text)
    else:
        assert read_json(text) == expected


@pytest.mark.parametrize("text", ["", "{", '{"a" 1}', '{"a": "\n"}', "{} {}", '"\\x"', "[1,]"])
def test_what_is_no_json_is_a_value_error_though_the_module_was_never_loaded(text: str) -> None:
    root = str(Path(clients.jsontext.__file__).parent.parent)
    code = (
        f"import sys; sys.path.append({root!r}); from clients.jsontext import read_json\n"
        f"try: read_json({text!r})\nexcept ValueError: print('refused', 'json' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == "refused"


def test_without_the_parts_in_c_the_module_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients.jsontext, "_json", None)
    assert read_json(' {"a": [1, null]} ') == {"a": [1, None]}
    assert write_json({"ä": 1}) == json.dumps({"ä": 1})
    with pytest.raises(ValueError, match=r"."):
        read_json("{")


def test_what_json_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError, match="bytes"):
        write_json({"a": b""})
