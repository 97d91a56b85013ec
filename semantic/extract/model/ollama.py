"""A model of an Ollama server, by its own library. Nothing is sent but to the address that a person named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from semantic.errors import ModelAway

SILENCE_S = 60.0
"""So long no part of an answer may come."""
MOST_TOKENS = 2_000
_OPTIONS = {"temperature": 0, "seed": 42, "num_predict": MOST_TOKENS}


class OllamaModel:
    """Asks one model.

    Args:
        uri: The server's address, such as ``http://127.0.0.1:11434``.
        name: The model's name there.
        silence_s: How long to wait for a part of an answer.
    """

    def __init__(self, uri: str, name: str, *, silence_s: float = SILENCE_S) -> None:
        self.name = name
        self._uri = uri
        self._silence_s = silence_s

    def ask(
        self, instruction: str, text: str, schema: dict[str, Any], check: Callable[[], None] = lambda: None
    ) -> Iterator[str]:
        """Yield the answer in parts. ``check`` is called whenever something came, whole or not; it may raise.

        Raises:
            ModelAway: The server does not answer in time, or with an error.
        """
        import httpx  # noqa: PLC0415 - half a second to import, and most memories never ask a model
        import ollama  # noqa: PLC0415 - as above

        from semantic.extract.model.transport import CutTransport  # noqa: PLC0415 - as above

        # No proxy of the environment, no other address than this one.
        client = ollama.Client(
            host=self._uri,
            timeout=self._silence_s,
            trust_env=False,
            follow_redirects=False,
            transport=CutTransport(check),
        )
        messages = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
        try:
            for part in client.chat(self.name, messages, stream=True, format=schema, options=_OPTIONS, think=False):
                yield part.message.content or ""
        except ollama.ResponseError as error:
            raise ModelAway(f"the server answered {error.status_code}") from error
        except httpx.TimeoutException as error:
            raise ModelAway("the server was silent for too long") from error
        except (httpx.HTTPError, httpx.InvalidURL, ConnectionError, OSError) as error:
            raise ModelAway("the server is not there, or broke off") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ModelAway("the server does not speak as Ollama does") from error
        finally:
            client._client.close()  # noqa: SLF001 - the library has no way to close it
