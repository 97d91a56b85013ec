"""Finds text that looks like a credential: a small set of rules with few false alarms.

Only shapes that are secrets by their form, or values that a name beside them calls a secret. Hashes of commits, UUIDs
and long random-looking words without such a mark are left alone: a memory is full of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryd.text.canonical import digest

_PLACEHOLDERS = frozenset(
    {"password", "passwd", "pass", "pwd", "pw", "secret", "token", "changeme", "change_me", "example", "none", "null",
     "true", "false", "redacted", "hidden", "string", "your_password", "yourpassword", "your_token", "your_key",
     "value", "include", "omit", "same-origin", "stdin", "prompt", "1password", "keepass2"}
)  # fmt: skip
_DUMMY = re.compile(
    r"[*.xX#-]+"  # masked out
    r"|[<\[({$%].*"  # <your key>, [redacted], ${VARIABLE}, $VARIABLE, {{ variable }}, %VARIABLE%
    r"|(?:os\.|process\.env|env\.|getenv|secrets?\.|config\.|settings\.|self\.|vault:|op://).*"  # code that reads it
    r"|\w*\(.*"  # a call
    r"|~?(?:/[\w.-]+){2,}/?"  # a path
    r"|[\w./-]+\.(?:py|js|ts|go|rs|toml|ya?ml|json|env|md|txt|ini|cfg)(?::\d+)?"  # a file that holds it
    r"|id=.*"  # the name that a build gives to one
)
# What a sentence says of a password, instead of saying it: "is sha256-hashed", "is 12-characters", "is v2.3".
_SAID_OF_IT = re.compile(
    r"v?\d+(?:\.\d+)*|\d+[-\w]*(?:bits?|bytes?|chars?|characters?)|.*(?:ed|ing|only|able)", re.IGNORECASE
)
_ENDS = ".,:!?"

_PLAIN_ID = re.compile(r"[0-9a-f-]{1,40}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

_SURE, _VALUE, _NAMED = "sure", "value", "named"
# How sure a rule is: its form alone makes it a secret; or a value that may only stand for one; or a value behind a
# name, where plain words and UUIDs are no secret either.

_WORD = r"(?P<v>'[^'\n]{4,400}'|\"[^\"\n]{4,400}\"|[^\s'\"$;|&<>`-][^\s'\"$;|&<>`]{3,400})"
# A word of a command line.
_MIXED = r"(?=[^\s]{0,80}\d)(?=[^\s]{0,80}[A-Za-z])"
# Letters and digits: what a sentence calls a password has both, or it would be a word of the sentence.

_NAMES = (
    r"api[_-]?key|secret[_-]?key|secret|client[_-]?secret|access[_-]?key|account[_-]?key|access[_-]?token|auth[_-]?token"
    r"|refresh[_-]?token|bot[_-]?token|private[_-]?key|encryption[_-]?key|[a-z0-9]{0,20}passw(?:or)?d|passphrase|pwd"
    r"|(?<=[_-])pass|credentials?"
)

# The group ``v`` of each rule is the secret itself; what stands around it is kept.
_RULES: tuple[tuple[str, str, str], ...] = (
    (
        "a private key",
        _SURE,
        (
            r"(?P<v>-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?!-----END )[\s\S])*(?:-----END [A-Z0-9 ]{0,60}-----)?)"
        ),
    ),
    ("a private key", _SURE, r"(?P<v>PuTTY-User-Key-File-\d:(?:(?!Private-MAC:)[\s\S])*(?:Private-MAC: \S+)?)"),
    ("a private key", _SURE, r"(?<![A-Za-z0-9])(?P<v>AGE-SECRET-KEY-1[A-Z0-9]{40,80})"),
    ("an AWS access key", _SURE, r"(?<![A-Za-z0-9])(?P<v>(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?![A-Za-z0-9])"),
    (
        "a GitHub token",
        _SURE,
        r"(?<![A-Za-z0-9])(?P<v>gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255})",
    ),
    ("a GitLab token", _SURE, r"(?<![A-Za-z0-9])(?P<v>gl(?:pat|dt|rt|ptt|oas)-[A-Za-z0-9_-]{20,255})"),
    ("an Anthropic key", _SURE, r"(?<![A-Za-z0-9])(?P<v>sk-ant-[A-Za-z0-9_-]{16,255})"),
    (
        "an OpenAI key",
        _SURE,
        r"(?<![A-Za-z0-9])(?P<v>sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{16,255}|sk-[A-Za-z0-9]{32,255})",
    ),
    (
        "a Slack token",
        _SURE,
        r"(?<![A-Za-z0-9])(?P<v>xox[abcdeoprs]-[A-Za-z0-9-]{10,255}|xapp-[0-9]-[A-Za-z0-9-]{10,255})",
    ),
    (
        "a Stripe key",
        _SURE,
        r"(?<![A-Za-z0-9])(?P<v>(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9]{24,255})",
    ),
    (
        "a Google key",
        _SURE,
        r"(?<![A-Za-z0-9])(?P<v>AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,60}|ya29\.[\w-]{20,255})",
    ),
    (
        "a registry token",
        _SURE,
        (
            r"(?<![A-Za-z0-9])"
            r"(?P<v>npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{32,255}|hf_[A-Za-z0-9]{30,60}|dckr_pat_[\w-]{20,60})"
        ),
    ),
    (
        "a service token",
        _SURE,
        (
            r"(?<![A-Za-z0-9])(?P<v>SG\.[\w-]{16,40}\.[\w-]{30,60}|do[opr]_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9A-Za-z]{32}"
            r"|lin_api_[A-Za-z0-9]{32,64}|hv[sb]\.[\w-]{24,300}|dapi[0-9a-f]{32}|\d{8,10}:AA[\w-]{33,35})(?![A-Za-z0-9])"
        ),
    ),
    (
        "a webhook address",
        _SURE,
        r"(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks)/(?P<v>[\w-]{6,40}/[\w/-]{20,120})",
    ),
    (
        "a signed web token",
        _SURE,
        r"(?<![A-Za-z0-9_-])(?P<v>eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000})",
    ),
    (
        "a password in an address",
        _VALUE,
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,30}://[^\s:/@'\"<>]{0,200}:(?P<v>[^\s/'\"<>]{1,200})@",
    ),
    (
        "a signature in an address",
        _VALUE,
        r"[?&](?i:sig|signature|x-amz-signature|access_token|api_?key|auth|token)=(?P<v>[^\s&#'\"<>]{8,2000})",
    ),
    (
        "an authorization header",
        _VALUE,
        r"(?i:\bauthorization\s{0,3}[:=]\s{0,3}['\"]?(?:bearer|basic|token)\s{1,3})(?P<v>[\w.~+/=-]{8,4000})",
    ),
    ("a bearer token", _VALUE, r"(?i:\bbearer\s{1,3})(?=[A-Za-z._~+/-]{0,400}\d)(?P<v>[\w.~+/-]{20,4000}={0,2})"),
    ("a cookie", _VALUE, r"(?i:\b(?:set-)?cookie:\s{0,3})(?P<v>[^\s=;'\"]{1,100}=[^\n'\"]{8,4000})"),
    (
        "a password of a login",
        _NAMED,
        r"\bmachine\s{1,3}\S{1,200}\s{1,9}login\s{1,3}\S{1,200}\s{1,9}password\s{1,3}(?P<v>\S{1,200})",
    ),
    (
        "a password of a command",
        _NAMED,
        r"\b(?:curl|wget|https?)(?=\s)[^\n]{0,400}?\s(?:-u|--user)[ =]['\"]?[^\s:'\"$]{1,100}:(?P<v>[^\s'\"$]{4,200})",
    ),
    (
        "a password of a command",
        _VALUE,
        r"\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump)\s(?:[^\n|;&]{0,300}?\s)?-p" + _WORD,
    ),
    ("a password of a command", _VALUE, r"\bsshpass\s{1,3}-p\s{0,3}" + _WORD),
    (
        "a password of a command",
        _VALUE,
        r"\b(?:docker|podman|nerdctl|buildah|skopeo|oras|helm|oc|az)\s[^\n|;&]{0,80}?login\s"
        r"(?:[^\n|;&]{0,300}?\s)?-p[ =]?" + _WORD,
    ),
    ("a password of a command", _VALUE, r"\bredis-cli\s(?:[^\n|;&]{0,200}?\s)?-a\s{1,3}" + _WORD),
    ("a password of a command", _VALUE, r"\b(?:zip|unzip)\s(?:[^\n|;&]{0,200}?\s)?-P\s{1,3}" + _WORD),
    (
        "a secret of a command",
        _VALUE,
        (
            r"(?<![\w-])--(?:[a-z0-9]{1,20}-){0,3}(?:password|passwd|passphrase|token|secret|api-?key|access-key)"
            r"(?:=(?P<v>[^\s'\"$-][^\s'\"]{3,400}))"
        ),
    ),
    (
        "a secret of a command",
        _VALUE,
        (
            r"(?<![\w-])--(?:[a-z0-9]{1,20}-){0,3}(?:password|passwd|passphrase|access-key)[ ]"
            r"(?P<v>[^\s'\"$`-][^\s'\"`;|&]{3,400})(?=\s{1,3}-{1,2}[a-zA-Z]|\s{0,3}(?:[|;&\n]|\Z))"
        ),
    ),
    (
        "a secret of a command",
        _NAMED,
        (
            r"(?<![\w-])--(?:[a-z0-9]{1,20}-){0,3}(?:password|passwd|passphrase|token|secret|api-?key|access-key)[ =]"
            r"(?P<v>(?!-)[^\s'\"]{6,400}|'[^'\n]{6,400}'|\"[^\"\n]{6,400}\")"
        ),
    ),
    (
        "a token",
        _NAMED,
        (
            r"(?i:(?<![a-z0-9])(?:[a-z0-9]{1,40}[_.-]){0,6}token['\"]?\s{0,3}(?::=|=>|[:=])\s{0,3}['\"]?)"
            r"(?=[A-Za-z_+=-]{0,400}\d)(?=[\d_+=-]{0,400}[A-Za-z])(?P<v>[A-Za-z0-9_+=-]{16,400})(?![\w(.\[/-])"
        ),
    ),
    (
        "a named secret",
        _NAMED,
        (
            rf"(?i:(?<![a-z0-9])(?:[a-z0-9]{{1,40}}[_.-]){{0,6}}(?:{_NAMES})(?:[_-][a-z0-9]{{1,20}}){{0,2}}"
            r"['\"]?\s{0,3}(?::=|=>|[:=])\s{0,3})"
            r"(?P<v>'[^'\n]{6,400}'|\"[^\"\n]{6,400}\"|`[^`\n]{6,400}`|[^\s'\"`,;)}\]]{6,400})"
        ),
    ),
)
_SAID = len(_RULES)
_RULES += (
    (
        "a password that is said",
        _NAMED,
        (
            r"(?i:(?<![a-z0-9])(?:pass(?:word|phrase|wd|code|wort)|kennwort|mot de passe|contrase[ñn]a|senha|пароль)"
            r"\s{0,3}(?:is|was|lautet|ist|war|est|es|era|é|-|—)\s{0,2}:?\s{1,3})['\"`]?"
            + _MIXED
            + r"(?P<v>[^\s'\"`,;]{5,200})"
        ),
    ),
    (
        "a password that is said",
        _NAMED,
        (
            r"(?:密码|密碼|口令|パスワード|비밀번호)\s{0,2}(?:是|为|為|は|が|은|는|[:：=])?\s{0,2}['\"`「]?"
            + _MIXED
            + r"(?P<v>[!-&(-~]{5,200})"
        ),
    ),
    (
        "a password that is said",
        _NAMED,
        r"(?i:(?<![a-z0-9_-])(?:pass|pw)\s{0,2}[:=]\s{0,2})" + _MIXED + r"(?P<v>[^\s'\"`,;]{5,200})",
    ),
)
_SAID_KINDS = range(_SAID, len(_RULES))
_RULES += (
    ("a password", _NAMED, r"(?i:passw(?:or)?d['\"]?\s{0,3}[:=]\s{0,3})(?P<v>'[^'\n]{4,5}'|\"[^\"\n]{4,5}\")"),
    (
        "a named secret",
        _NAMED,
        rf"(?i:<(?:[a-z0-9]{{1,20}}[_.-]?){{0,2}}(?:{_NAMES}|token)>)(?P<v>[^<\s]{{4,400}})</",
    ),
    (
        "a token in an address",
        _VALUE,
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,30}://" + _MIXED + r"(?P<v>[A-Za-z0-9_-]{20,200})@",
    ),
)
_EXACT_HINTS = (
    "-----BEGIN ", "PuTTY-User", "AGE-SECRET-KEY", "AKIA", "ASIA", "ABIA", "ACCA", "ghp_", "gho_", "ghu_", "ghs_",
    "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glptt-", "gloas-", "sk-", "xox", "xapp-", "k_live_", "k_test_",
    "whsec_", "AIza", "GOCSPX-", "ya29.", "npm_", "pypi-", "hf_", "dckr_pat_", "SG.", "_v1_", "shpat_", "shpca_",
    "shppa_", "shpss_", "lin_api_", "hvs.", "hvb.", "dapi", ":AA", "hooks.slack", "discord", "eyJ", "://",
    "machine", "curl", "wget", "http ", "https ", "sshpass", "mysql", "mariadb", "docker", "podman", "nerdctl",
    "buildah", "skopeo", "oras", "helm", "oc ", "az ", "redis-cli", "zip ", "密码", "密碼", "口令", "パスワード",
    "비밀번호",
)  # fmt: skip
_FOLDED_HINTS = (
    "key", "secret", "token", "passw", "pwd", "passphrase", "_pass", "-pass", "credential", "authorization", "bearer",
    "cookie", "sig=", "auth=", "signature=", "kennwort", "mot de passe", "contrase", "senha", "пароль", "passcode",
    "pass:", "pass =", "pass=", "pw:", "pw=", "pw =", "<pwd",
)  # fmt: skip
"""A secret begins near one of these; the rules, which are slow, look only there."""
_BEFORE, _BEHIND = 300, 450
"""Characters before a hint and behind it that the rules look at."""
_KINDS = tuple(kind for kind, _, _ in _RULES)
_DOUBTS = tuple(doubt for _, doubt, _ in _RULES)
_RULE = re.compile("|".join(f"(?:{rule.replace('(?P<v>', f'(?P<g{n}>')})" for n, (_, _, rule) in enumerate(_RULES)))


@dataclass(frozen=True, slots=True)
class Span:
    """Where a credential stands (0-based, half-open, in characters) and what kind it seems to be, in words."""

    start: int
    end: int
    kind: str


def find_secrets(text: str) -> list[Span]:
    """Return what looks like a credential, in order, without overlaps."""
    found: list[Span] = []
    position = 0
    for hint in _find_hints(text):
        while hint >= position:
            token = max(text.rfind(" ", position, hint), text.rfind("\n", position, hint)) + 1
            begin = max(position, token, hint - _BEFORE)
            end = min(len(text), hint + _BEHIND)
            match = _RULE.search(text, begin, end)
            if match is not None and match.end() == end:
                match = _RULE.search(text, match.start())  # it goes on behind the window
            if match is None:
                position = hint + 1
                break
            rule = next(index for index in range(len(_RULES)) if match.group(f"g{index}") is not None)
            start, stop = match.span(f"g{rule}")
            is_said = rule in _SAID_KINDS and _SAID_OF_IT.fullmatch(text[start:stop].rstrip(_ENDS)) is not None
            if _DOUBTS[rule] != _SURE and (is_said or _is_dummy(text[start:stop], named=_DOUBTS[rule] == _NAMED)):
                # Not a secret itself; one may begin inside what this rule took for a value.
                position = max(start, match.start() + 1)
                continue
            found.append(Span(start, stop, _KINDS[rule]))
            position = stop
    return found


def _find_hints(text: str) -> list[int]:
    """Return where a secret may begin, in order."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form is two
        lower = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    places: set[int] = set()
    for where, hints in ((text, _EXACT_HINTS), (lower, _FOLDED_HINTS)):
        for hint in hints:
            place = where.find(hint)
            while place >= 0:
                # Most addresses have no password.
                if hint != "://" or where.find("@", place, place + _BEHIND) >= 0:
                    places.add(place)
                place = where.find(hint, place + 1)
    return sorted(places)


def redact(text: str) -> str:
    """Return the text with each credential replaced by ``[redacted: <kind>]``; all else is kept."""
    parts, position = [], 0
    for span in find_secrets(text):
        parts += [text[position : span.start], f"[redacted: {span.kind}]"]
        position = span.end
    return "".join(parts) + text[position:] if parts else text


def redact_id(name: str) -> str:
    """Return a name that may be stored: itself, or a hash of it where it holds a credential.

    For what tells things apart (sessions, turns, calls): the same name gives the same hash, so that what is done twice
    is still known to be.
    """
    if _PLAIN_ID.fullmatch(name) is not None or not find_secrets(name):
        return name
    return f"redacted-{digest(name, length=20)}"


def _is_dummy(value: str, *, named: bool) -> bool:
    """Tell whether a value only stands for a secret: a placeholder, a variable, a word of a sentence."""
    bare = value.strip("'\"`")
    if bare.casefold().strip("<>[](){}") in _PLACEHOLDERS or _DUMMY.fullmatch(bare) is not None:
        return True
    if named and _UUID.fullmatch(bare) is not None:
        return True
    # "password: required", "secret = rotated weekly": words. A secret has digits, mixed case or signs, or is quoted.
    return named and bare == value and bare.rstrip(_ENDS).isalpha() and (bare.islower() or bare.istitle())
