from __future__ import annotations

from itertools import pairwise

import pytest

from memoryd.text.secrets import find_secrets, redact

OPENAI = "sk-proj-" + "FAKE" + "0" * 20


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"OPENAI_API_KEY={OPENAI} fails", OPENAI),
        (f"the key {OPENAI} fails", OPENAI),
        ("DATABASE_URL=postgres://admin:FAKEPW@h/db fails", "FAKEPW"),
        ("redis://:p@ss:w0rd@cache:6379/0 fails", "p@ss:w0rd"),
        ("use AKIA" + "ABCDEFGH" + "IJKLMNOP now", "AKIAABCDEFGHIJKLMNOP"),
        ("token ghp_" + "a1" * 18 + " now", "ghp_" + "a1" * 18),
        ("token github_pat_" + "a1" * 20 + " now", "github_pat_" + "a1" * 20),
        ("glpat-" + "a1" * 12 + " now", "glpat-" + "a1" * 12),
        ("sk-ant-api03-" + "a1" * 20 + " now", "sk-ant-api03-" + "a1" * 20),
        ("xoxb-" + "1234567890-abcdef now", "xoxb-1234567890-abcdef"),
        ("sk_live_" + "a1" * 12 + " now", "sk_live_" + "a1" * 12),
        ("AIza" + "a" * 35 + " now", "AIza" + "a" * 35),
        ("Authorization: Bearer " + "abcd1234" * 3 + " now", "abcd1234" * 3),
        ("db_password = 'hunter2hunter2' now", "hunter2hunter2"),
        ('{"client_secret": "ab12cd34ef"} now', "ab12cd34ef"),
        ("API-Key: 0123456789abcdef0123456789abcdef now", "0123456789abcdef0123456789abcdef"),
        ("日本語のパスワード PASSWORD=Tr0ub4dor&3 です", "Tr0ub4dor&3"),
        ("eyJ" + "a" * 20 + ".eyJ" + "b" * 20 + "." + "c" * 20 + " now", "b" * 20),
    ],
)
def test_a_secret_goes_and_the_rest_stays(text: str, secret: str) -> None:
    assert find_secrets(text)
    clean = redact(text)
    assert secret not in clean
    assert clean.split()[-1] == text.rsplit(maxsplit=1)[-1]
    assert redact(clean) == clean


def test_a_private_key_goes_whole_even_without_its_end() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\nBBBB\n-----END OPENSSH PRIVATE KEY-----"
    assert redact(f"before\n{key}\nafter") == "before\n[redacted: a private key]\nafter"
    assert "BBBB" not in redact(key.partition("-----END")[0])


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f2a9b1c4d5e6f708192a3b4c5d6e7f801234567",
        "turn 550e8400-e29b-41d4-a716-446655440000",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "git@github.com:acme/widget.git and ssh://git@github.com:22/acme/widget",
        "http://localhost:8080/a@b",
        "password: required for login",
        "PASSWORD=$PASS and api_key=${KEY} and secret: <your secret>",
        "api_key = os.environ['API_KEY']",
        "password=get_password(user)",
        "postgres://user:password@localhost/db",
        "max_tokens=4096, token: 17",
        "el_0123456789abcdef0123 de_0123456789abcdef01234567",
        "the secret of good tests: they fail",
    ],
)
def test_what_only_looks_long_or_speaks_of_secrets_stays(text: str) -> None:
    assert redact(text) == text
    assert find_secrets(text) == []


def test_spans_are_in_order_and_do_not_overlap() -> None:
    text = f"a={OPENAI} b=postgres://u:s3cr3tpw@h c={OPENAI}"
    spans = find_secrets(text)
    assert len(spans) == 3
    assert all(one.end <= other.start for one, other in pairwise(spans))


def test_long_texts_of_nothing_end() -> None:
    for text in ("a_" * 100_000, "https://" * 20_000, "eyJ" + "a" * 200_000, "-----BEGIN PRIVATE KEY-----" * 2_000):
        redact(text)
