from __future__ import annotations

import codecs

import pytest

from memoryd.text.decode import Decoded, decode


def test_clean_text_has_no_problem() -> None:
    assert decode("héllo\r\n🦉\r".encode()) == Decoded("héllo\r\n🦉\r", ())
    assert decode(b"") == Decoded("", ())


def test_byte_order_mark_is_no_text() -> None:
    assert decode(codecs.BOM_UTF8 + b"---\na: 1\n---\n") == Decoded("---\na: 1\n---\n", ())


def test_bad_bytes_are_replaced_and_counted_with_the_first_line() -> None:
    decoded = decode(b"one\ntwo \xff\xfe x\nthree \xc3(\n")
    assert decoded.text == "one\ntwo \ufffd\ufffd x\nthree \ufffd(\n"
    assert decoded.problems == ("3 places are not UTF-8, the first on line 2; they read as \ufffd",)


def test_a_replacement_character_of_the_file_itself_is_not_counted() -> None:
    assert decode("\ufffd".encode()).problems == ()
    assert decode("\ufffd".encode() + b"\xff").problems[0].startswith("1 places")


def test_a_character_cut_at_the_end() -> None:
    decoded = decode("ab漢".encode()[:-1])
    assert decoded.text == "ab\ufffd"
    assert "line 1" in decoded.problems[0]


def test_nul_is_reported_and_harmless() -> None:
    decoded = decode(b"a\nb\0c\0\n")
    assert decoded.text == "a\nb\ufffdc\ufffd\n"
    assert decoded.problems == ("2 NUL characters, the first on line 2; they read as \ufffd",)


@pytest.mark.parametrize(
    ("mark", "encoding", "name"),
    [
        (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    ],
)
def test_wide_encodings_are_read_and_named(mark: bytes, encoding: str, name: str) -> None:
    decoded = decode(mark + "grüße\n漢".encode(encoding))
    assert decoded.text == "grüße\n漢"
    assert decoded.problems == (f"the file is {name}; save it as UTF-8",)


def test_damaged_wide_encoding_says_both() -> None:
    decoded = decode(codecs.BOM_UTF16_LE + "ab\n".encode("utf-16-le") + b"\x00")
    assert decoded.text.startswith("ab\n")
    assert len(decoded.problems) == 2
    assert "not UTF-16" in decoded.problems[1]
