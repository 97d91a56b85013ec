"""The tables of the manifest."""

from __future__ import annotations

MANIFEST = "manifest.sqlite"

FORMAT = 4
"""Grows when tables or stored stamps change; an older manifest is then rebuilt."""

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
  path TEXT PRIMARY KEY, root TEXT NOT NULL, day TEXT NOT NULL, inode INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  size INTEGER NOT NULL, lines INTEGER NOT NULL, sha256 TEXT NOT NULL, read_at_ns INTEGER NOT NULL, problem TEXT
) WITHOUT ROWID;
CREATE TABLE episodes (
  path TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, day TEXT NOT NULL, title TEXT NOT NULL,
  at_us INTEGER NOT NULL, offset_min INTEGER NOT NULL, first INTEGER NOT NULL,
  last INTEGER NOT NULL, project TEXT, session TEXT, turn TEXT, transcript TEXT, key TEXT, files TEXT NOT NULL,
  written INTEGER NOT NULL, pieces INTEGER NOT NULL, anchor TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (path, position)
);
CREATE INDEX episodes_id ON episodes (id, path, position);
CREATE INDEX episodes_found ON episodes (
  path, position, id, at_us, offset_min, project, session, pieces, written
);
CREATE INDEX episodes_anchor ON episodes (anchor);
CREATE INDEX episodes_renamed ON episodes (path) WHERE id <> anchor;
CREATE INDEX episodes_at ON episodes (at_us, id, written);
CREATE INDEX episodes_day ON episodes (day);
CREATE INDEX episodes_turn ON episodes (session, turn) WHERE turn IS NOT NULL;
CREATE INDEX episodes_key ON episodes (key) WHERE key IS NOT NULL;
CREATE INDEX episodes_session ON episodes (session, at_us, path, position, written, id) WHERE session IS NOT NULL;
CREATE VIEW entries AS SELECT * FROM episodes WHERE written < 2;
CREATE TABLE chunks (
  path TEXT NOT NULL, ordinal INTEGER NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, heading TEXT NOT NULL,
  first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (path, ordinal)
) WITHOUT ROWID;
CREATE INDEX chunks_id ON chunks (id, path, ordinal, position);
CREATE TABLE documents (
  id TEXT PRIMARY KEY, text TEXT NOT NULL, text_hash TEXT NOT NULL, at_us INTEGER NOT NULL, project TEXT NOT NULL,
  session TEXT NOT NULL, kind TEXT NOT NULL, heading TEXT NOT NULL, row_stamp TEXT NOT NULL, stamp TEXT NOT NULL,
  terms BLOB NOT NULL, in_lexical TEXT
);
CREATE INDEX documents_found ON documents (id, text_hash);
CREATE INDEX documents_at ON documents (at_us, id);
CREATE INDEX documents_pending ON documents (at_us) WHERE in_lexical IS NOT stamp;
CREATE TABLE vectors (
  fingerprint TEXT NOT NULL, id TEXT NOT NULL, stamp TEXT NOT NULL, PRIMARY KEY (fingerprint, id)
) WITHOUT ROWID;
CREATE INDEX vectors_id ON vectors (id);
CREATE TABLE spaces (fingerprint TEXT PRIMARY KEY, vectors INTEGER NOT NULL) WITHOUT ROWID;
CREATE TRIGGER vectors_came AFTER INSERT ON vectors BEGIN
  INSERT INTO spaces VALUES (NEW.fingerprint, 1) ON CONFLICT (fingerprint) DO UPDATE SET vectors = vectors + 1;
END;
CREATE TRIGGER vectors_went AFTER DELETE ON vectors BEGIN
  UPDATE spaces SET vectors = vectors - 1 WHERE fingerprint = OLD.fingerprint;
END;
CREATE TABLE uncut (path TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (path, position)) WITHOUT ROWID;
CREATE TABLE frequencies (term INTEGER PRIMARY KEY, documents INTEGER NOT NULL);
CREATE TABLE dropped (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE refused (id TEXT PRIMARY KEY) WITHOUT ROWID;
"""
CONTENT = ("files", "episodes", "uncut", "chunks", "documents", "frequencies")
"""What follows from the files and from the rules by which words are taken from texts."""
