from __future__ import annotations

from itertools import pairwise

import pytest

from memoryd.text.secrets import find_secrets, redact, redact_id

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
        ("AccountKey=Zm9vYmFy" + "MTIzNDU2Nzg5MA==;EndpointSuffix=x now", "Zm9vYmFyMTIzNDU2Nzg5MA=="),
        ("Server=db;User ID=sa;Password=" + "Sup3rS3cret!;Encrypt=yes now", "Sup3rS3cret!"),
        ("mysql --password " + "hunter2xyz9 now", "hunter2xyz9"),
        ("deploy --auth-token=" + "abcd1234efgh5678 now", "abcd1234efgh5678"),
        ("curl -s -u admin:" + "S3cretPass9 https://h now", "S3cretPass9"),
        ("X-Auth: Bearer " + "abcdef1234567890abcdef now", "abcdef1234567890abcdef"),
        ("GITLAB_TOKEN=" + "abcdEFGH1234ijklMNOP now", "abcdEFGH1234ijklMNOP"),
        ("token = '" + "3fK9sLq0Zx8bVn2M' now", "3fK9sLq0Zx8bVn2M"),
        ("https://hooks.slack.com/services/" + "T0AB12CD3/B0AB12CD4/a1B2c3D4e5F6g7H8 now", "a1B2c3D4e5F6g7H8"),
        ("https://discord.com/api/webhooks/" + "123456789012345678/abcDEF_123-ghiJKL456 now", "ghiJKL456"),
        ("SG." + "abcdefghijklmnopqrstuv.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 now", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ("dop_v1_" + "a1" * 32 + " now", "a1" * 32),
        ("shpat_" + "a1" * 16 + " now", "a1" * 16),
        ("hvs." + "CAESIabcdefghijklmnopqrstuvwx now", "CAESIabcdefghijklmnopqrstuvwx"),
        ("AGE-SECRET-KEY-1" + "Q" * 58 + " now", "Q" * 58),
        ("machine api.example login bob password " + "s3cr3tpw99 now", "s3cr3tpw99"),
        ("//registry.npmjs.org/:_authToken=" + "abcd-1234-efgh now", "abcd-1234-efgh"),
        ("export DB_PASS=" + "hunter2hunter2 now", "hunter2hunter2"),
        ("PGPASSWORD=" + "qwe123asd now", "qwe123asd"),
        ("https://blob.example/c?sv=2020&sig=" + "abcDEF123%2Bxyz%3D now", "abcDEF123%2Bxyz%3D"),
        ("Cookie: sessionid=" + "abc123def456ghi789\nnow", "abc123def456ghi789"),
        ("İ" * 50 + " Api_Key=" + "AbCdEf123456 now", "AbCdEf123456"),
        ("mysql -u root -p" + "hunter2 now", "hunter2"),
        ("sshpass -p '" + "hunter2' ssh now", "hunter2"),
        ("docker login -u me -p " + "hunter2 now", "hunter2"),
        ("redis-cli -a " + "hunter2 now", "hunter2"),
        ("tool --password=" + "swordfish now", "swordfish"),
        ("tool --password " + "swordfish --host now", "swordfish"),
        ("the password is " + "hunter2 now", "hunter2"),
        ("das Passwort lautet: " + "Sommer2024! now", "Sommer2024"),
        ("la contraseña es " + "hunter2x now", "hunter2x"),
        ("密码是 " + "hunter2x now", "hunter2x"),
        ("login: bob / pass: " + "hunter2 now", "hunter2"),
        ("https://" + "abcdef0123456789abcdef0123@host/x.git now", "abcdef0123456789"),
        ('{"password":"' + 'pw12"} now', "pw12"),
        ("password:\n  " + "hunter2\nnow", "hunter2"),
        ("<password>" + "hunter2</password> now", "hunter2"),
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
        "integrity sha512-9PE5Tt2Cs1oFZQk+abcdefghijklmnopqrstuvwxyz0123456789==",
        "https://registry.npmjs.org/a/-/a-1.0.0.tgz#9fceb02d0ae598e95dc970b74767f19372d61af8",
        "next_token_id=50256 token_type_ids session_token_ttl=3600",
        "csrf_token: 123e4567-e89b-12d3-a456-426614174000",
        "token = tokenizer.encode_one_of_them2(text)",
        "docker run -u 1000:1000 img && chown -u user:group x && curl -u $USER:$PASS https://x",
        "gh --token-file /etc/memoryd/token --password-stdin --secret-name shop",
        "pwd=/home/someone/project",
        "Cookie: see the docs",
        "the bearer of this letter_is_a_friend_of_ours",
        "el_0123456789abcdef0123 de_0123456789abcdef01234567",
        "the secret of good tests: they fail",
        "the password is required, is sha256-hashed, is 12-characters and is stored in 1Password",
        "the passphrase is base64-encoded; password is v2.3",
        "mkdir -p x/y && ssh -p 2222 host && docker run -p 80:8080 img && npm run build -p tsconfig.json",
        "use --password to set it; the --password flag is new, and so is --secret id=npmrc,src=.npmrc",
        "pass: all 12 tests, tests pass 12 of 14",
        "fetch(url, {credentials: 'include'})",
        "the secret: it is read from settings.py:12",
        '"resolved": "https://packages.example/x/-/x-1.2.3.tgz", "integrity": "sha512-oRmzQ2bP8j5k3+7hQzabc=="',
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


def test_an_id_that_holds_a_secret_becomes_its_hash_and_stays_one() -> None:
    for plain in ("550e8400-e29b-41d4-a716-446655440000", "3f2a9b1c", "p-1764493200-a1b2", "a session of mine"):
        assert redact_id(plain) == plain
    hidden = redact_id(OPENAI)
    assert hidden == redact_id(OPENAI)
    assert hidden.startswith("redacted-")
    assert hidden != redact_id(OPENAI + "1")
    assert redact_id(hidden) == hidden
