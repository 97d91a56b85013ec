"""What models said, kept by the hash of the text and the model: a run that was broken off goes on where it was.

The file is derived and can be deleted at any time; the model is then asked again. It is never asked for a text that
was answered, wherever that text stands now.
"""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from memoryd.text.canonical import digest
from semantic.extract.model.answer import Told, unpacked

FORM = 1
"""Grows when the question or the check changes: then everything is asked anew."""


def memo_key(model: str, text: str) -> str:
    """Return the key of a text as read by a model."""
    return digest(FORM, model, text, length=32)


class Memo:
    """Answers by key. Every method may be called from any thread.

    Args:
        file: The database, made at the first write; ``None`` keeps all in memory.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._held: dict[str, Told] = {}
        self._of_text: dict[str, str] = {}
        self.version = 0
        self.problem: str | None = None
        if file is not None and file.exists():
            self._load(file)

    def get(self, key: str) -> Told | None:
        """Return an answer, if there is one."""
        return self._held.get(key)

    def of(self, text: str) -> tuple[str, Told] | None:
        """Return the model that read a text last, and what it said."""
        model = self._of_text.get(digest(text, length=32))
        if model is None:
            return None
        told = self._held.get(memo_key(model, text))
        return None if told is None else (model, told)

    def put(self, model: str, text: str, told: Told) -> None:
        """Keep an answer.

        Raises:
            OSError: It could not be written; it is kept until the end of this process.
        """
        key, of_text = memo_key(model, text), digest(text, length=32)
        with self._lock:
            self._held[key] = told
            self._of_text[of_text] = model
            self.version += 1
            if self._file is None:
                return
            try:
                with sqlite3.connect(self._file) as database:
                    database.execute(
                        "CREATE TABLE IF NOT EXISTS told"
                        " (key TEXT PRIMARY KEY, text TEXT, model TEXT, form INTEGER, said TEXT)"
                    )
                    database.execute(
                        "INSERT OR REPLACE INTO told VALUES (?, ?, ?, ?, ?)", (key, of_text, model, FORM, told.packed())
                    )
                database.close()
                self._file.chmod(0o600)
            except sqlite3.Error as error:
                raise OSError(f"{self._file.name}: {error}") from error

    def _load(self, file: Path) -> None:
        try:
            database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
            try:
                rows = database.execute(
                    "SELECT key, text, model, said FROM told WHERE form = ? ORDER BY rowid", (FORM,)
                ).fetchall()
            finally:
                database.close()
            for key, of_text, model, said in rows:
                self._held[key] = unpacked(said)
                self._of_text[of_text] = model
        except (sqlite3.Error, ValueError, TypeError) as error:
            # It holds nothing that cannot be asked for again.
            self.problem = f"{file.name} cannot be read ({type(error).__name__}); remove it, and ask the model again"
