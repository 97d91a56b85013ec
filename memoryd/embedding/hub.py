"""A server of model repositories, asked with the standard library: the list of a revision's files, and the files.

The addresses are those of the Hugging Face hub, which its mirrors have too. Nothing is sent but the path and the
range that is wanted: no token, no name of this machine.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import IO, Any
from urllib.parse import quote, urlsplit

from memoryd.embedding.errors import NotServed, PullError, RangeRefused, ServerUnreachable

DEFAULT_BASE = "https://huggingface.co"
_AGENT = "memoryd"
_MOST_LIST_BYTES = 16 * 1024 * 1024
_GIVEN_UP = frozenset({400, 401, 403, 404, 405, 410, 451})


@dataclass(frozen=True, slots=True)
class Listed:
    """A file as the server's list has it: the sha256 of a large file, the git hash of a small one."""

    size: int
    sha256: str | None
    git_sha1: str | None


@dataclass(frozen=True, slots=True)
class Part:
    """An answer with a file from ``start`` on. ``total`` is the size of the whole file where the server says it."""

    start: int
    total: int | None
    body: http.client.HTTPResponse


class Hub:
    """One server. ``base`` is its address; ``timeout_s`` is how long it may be silent."""

    def __init__(self, base: str = DEFAULT_BASE, *, timeout_s: float = 30.0) -> None:
        self._base = base.rstrip("/")
        self._timeout_s = timeout_s
        self._opener = _opener(urlsplit(self._base).hostname or "")

    def url(self, repo: str, revision: str, path: str) -> str:
        """Return the address of a file."""
        return f"{self._base}/{quote(repo)}/resolve/{quote(revision, safe='')}/{quote(path)}"

    def list_files(self, repo: str, revision: str) -> Mapping[str, Listed]:
        """Return the files of a revision by their path.

        Raises NotServed, ServerUnreachable, and PullError where the answer is no list.
        """
        url = f"{self._base}/api/models/{quote(repo)}/tree/{quote(revision, safe='')}?recursive=true"
        with self._open(url, 0) as response:
            try:
                rows = json.loads(response.read(_MOST_LIST_BYTES))
                return {row["path"]: _listed(row) for row in rows if row["type"] == "file"}
            except (OSError, http.client.HTTPException) as error:
                raise ServerUnreachable(f"{url} broke off: {error}") from error
            except (ValueError, KeyError, TypeError) as error:
                raise PullError(
                    f"{url} gives no list of files that can be read ({type(error).__name__}); "
                    "is embedding.hub the address of a model hub?"
                ) from error

    def open(self, url: str, start: int) -> Part:
        """Ask for a file from a byte on. A server that knows no ranges answers with all of it: ``start`` is then 0.

        Raises NotServed, ServerUnreachable, and RangeRefused where the file has no such byte.
        """
        response = self._open(url, start)
        if response.status != http.client.PARTIAL_CONTENT:
            return Part(0, _number(response.headers.get("Content-Length")), response)
        first, total = _range_of(response.headers.get("Content-Range", ""))
        if first is None:
            response.close()
            raise ServerUnreachable(f"{url} answered with a part and did not say which")
        return Part(first, total, response)

    def _open(self, url: str, start: int) -> http.client.HTTPResponse:
        headers = {"User-Agent": _AGENT, "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the opener knows only http and https
        try:
            response: http.client.HTTPResponse = self._opener.open(request, timeout=self._timeout_s)
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(url, error.code) from error
        except urllib.error.URLError as error:
            raise _unreachable(url, error.reason) from error
        except (OSError, http.client.HTTPException) as error:
            raise _unreachable(url, error) from error
        return response


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirect, as a hub gives to its store of large files, but never from https to less."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        """Return the next request, with the same range."""
        scheme = urlsplit(newurl).scheme
        if scheme not in {"http", "https"} or (urlsplit(req.full_url).scheme == "https" and scheme != "https"):
            fp.close()
            raise NotServed(f"{req.full_url} redirects to {scheme}, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type] # Message is its base


def _opener(host: str) -> urllib.request.OpenerDirector:
    opener = urllib.request.OpenerDirector()
    # A proxy of the environment is for the net, not for this machine.
    proxies = urllib.request.ProxyHandler({} if _is_loopback(host) else None)
    for handler in (
        proxies,
        urllib.request.UnknownHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirects(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refusal(url: str, code: int) -> PullError:
    if code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
        return RangeRefused(f"{url} has no such part")
    if 300 <= code < 400:
        return NotServed(f"{url} redirects in circles, or to something else than a web address")
    if code in _GIVEN_UP:
        return NotServed(f"{url} is not given out: the server says {code} {http.client.responses.get(code, '')}")
    return ServerUnreachable(f"{url} fails: the server says {code} {http.client.responses.get(code, '')}")


def _unreachable(url: str, reason: Any) -> PullError:
    if isinstance(reason, ssl.SSLCertVerificationError):
        return NotServed(f"{url} cannot be trusted: {reason.verify_message}")
    words = "no answer in time" if isinstance(reason, TimeoutError) else str(reason) or type(reason).__name__
    if isinstance(reason, socket.gaierror):
        words = "its name is not known; is this machine online?"
    return ServerUnreachable(f"{url} cannot be reached: {words}")


def _listed(row: Mapping[str, Any]) -> Listed:
    large = row.get("lfs")
    if large:
        return Listed(int(large["size"]), str(large["oid"]).removeprefix("sha256:"), None)
    return Listed(int(row["size"]), None, str(row["oid"]))


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None


def _range_of(text: str) -> tuple[int | None, int | None]:
    """Read ``bytes 5-9/10``."""
    span, _, total = text.removeprefix("bytes ").partition("/")
    return _number(span.partition("-")[0]), _number(total)
