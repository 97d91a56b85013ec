"""Finds text that looks like a credential: a small set of rules with few false alarms.

Only shapes that are secrets by their form, or values that a name beside them calls a secret. Hashes of commits, UUIDs
and long random-looking words without such a mark are left alone: a memory is full of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLACEHOLDERS = frozenset(
    {"password", "passwd", "pass", "pwd", "pw", "secret", "token", "changeme", "change_me", "example", "none", "null",
     "true", "false", "redacted", "hidden", "string", "your_password", "yourpassword", "your_token", "your_key"}
)  # fmt: skip
_DUMMY = re.compile(
    r"[*.xX#-]+"  # masked out
    r"|[<\[({$%].*"  # <your key>, [redacted], ${VARIABLE}, $VARIABLE, {{ variable }}, %VARIABLE%
    r"|(?:os\.|process\.env|env\.|getenv|secrets?\.|config\.|settings\.|self\.|vault:|op://).*"  # code that reads it
    r"|\w*\(.*"  # a call
)

# Each rule names one group, which is the secret itself; what stands around it is kept.
_RULES: tuple[tuple[str, str], ...] = (
    (
        "a private key",
        (
            r"(?P<g0>-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?!-----END )[\s\S])*(?:-----END [A-Z0-9 ]{0,60}-----)?)"
        ),
    ),
    ("an AWS access key", r"(?<![A-Za-z0-9])(?P<g1>(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?![A-Za-z0-9])"),
    ("a GitHub token", r"(?<![A-Za-z0-9])(?P<g2>gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    ("a GitLab token", r"(?<![A-Za-z0-9])(?P<g3>gl(?:pat|dt|rt|ptt|oas)-[A-Za-z0-9_-]{20,255})"),
    ("an Anthropic key", r"(?<![A-Za-z0-9])(?P<g4>sk-ant-[A-Za-z0-9_-]{16,255})"),
    (
        "an OpenAI key",
        r"(?<![A-Za-z0-9])(?P<g5>sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{16,255}|sk-[A-Za-z0-9]{32,255})",
    ),
    ("a Slack token", r"(?<![A-Za-z0-9])(?P<g6>xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-[0-9]-[A-Za-z0-9-]{10,255})"),
    ("a Stripe key", r"(?<![A-Za-z0-9])(?P<g7>(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9]{24,255})"),
    ("a Google key", r"(?<![A-Za-z0-9])(?P<g8>AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,60}|ya29\.[\w-]{20,255})"),
    (
        "a registry token",
        r"(?<![A-Za-z0-9])(?P<g9>npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{32,255}|hf_[A-Za-z0-9]{30,60}|dckr_pat_[\w-]{20,60})",
    ),
    (
        "a signed web token",
        r"(?<![A-Za-z0-9_-])(?P<g10>eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000})",
    ),
    ("a password in an address", r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,30}://[^\s:/@'\"<>]{0,200}:(?P<g11>[^\s/'\"<>]{1,200})@"),
    (
        "an authorization header",
        r"(?i:\bauthorization\s{0,3}[:=]\s{0,3}['\"]?(?:bearer|basic|token)\s{1,3})(?P<g12>[\w.~+/=-]{8,4000})",
    ),
    (
        "a named secret",
        (
            r"(?i:(?<![a-z0-9])(?:[a-z0-9]{1,40}[_.-]){0,6}"
            r"(?:api[_-]?key|secret[_-]?key|secret|client[_-]?secret|access[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token"
            r"|bot[_-]?token|private[_-]?key|encryption[_-]?key|passwd|password|passphrase|pwd|credentials?)(?:[_-][a-z0-9]{1,20}){0,2}"
            r"['\"]?\s{0,3}(?::=|=>|[:=])\s{0,3})(?P<g13>'[^'\n]{6,400}'|\"[^\"\n]{6,400}\"|`[^`\n]{6,400}`|[^\s'\"`,;)}\]]{6,400})"
        ),
    ),
)
_KINDS = tuple(kind for kind, _ in _RULES)
_RULE = re.compile("|".join(f"(?:{pattern})" for _, pattern in _RULES))
_NAMED = len(_RULES) - 1
_ADDRESS = _NAMED - 2


@dataclass(frozen=True, slots=True)
class Span:
    """Where a credential stands (0-based, half-open, in characters) and what kind it seems to be, in words."""

    start: int
    end: int
    kind: str


def find_secrets(text: str) -> list[Span]:
    """Return what looks like a credential, in order, without overlaps."""
    found = []
    position = 0
    while (match := _RULE.search(text, position)) is not None:
        rule = next(index for index in range(len(_RULES)) if match.group(f"g{index}") is not None)
        start, end = match.span(f"g{rule}")
        if rule >= _ADDRESS and _is_dummy(text[start:end], named=rule == _NAMED):
            # Not a secret itself; one may begin inside what this rule took for a value.
            position = max(start, match.start() + 1)
            continue
        found.append(Span(start, end, _KINDS[rule]))
        position = end
    return found


def redact(text: str) -> str:
    """Return the text with each credential replaced by ``[redacted: <kind>]``; all else is kept."""
    parts, position = [], 0
    for span in find_secrets(text):
        parts += [text[position : span.start], f"[redacted: {span.kind}]"]
        position = span.end
    return "".join(parts) + text[position:] if parts else text


def _is_dummy(value: str, *, named: bool) -> bool:
    """Tell whether a value only stands for a secret: a placeholder, a variable, a word of a sentence."""
    bare = value.strip("'\"`")
    if bare.casefold().strip("<>[](){}") in _PLACEHOLDERS or _DUMMY.fullmatch(bare) is not None:
        return True
    # "password: required", "secret = rotated weekly": words. A secret has digits, mixed case or signs, or is quoted.
    return named and bare == value and bare.rstrip(".,:!?").isalpha() and (bare.islower() or bare.istitle())
