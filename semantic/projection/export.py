"""The canonical export: what the log says, as bytes that are equal wherever the events are equal."""

from __future__ import annotations

from typing import Any

import orjson

from semantic.log.instant import write_instant
from semantic.model import Decision, Element
from semantic.project.naming import Project
from semantic.projection.picture import Projection

VERSION = 1


def export_projection(projection: Projection) -> bytes:
    """Return the canonical JSON of a projection, line end included: no attention, notes, journal or local numbers."""
    # Every value comes from a line that was canonical, so only the keys have to be put in order.
    return (
        orjson.dumps(
            {
                "v": VERSION,
                "projects": [_project(one) for _, one in sorted(projection.projects.items())],
                "elements": [_element(one) for _, one in sorted(projection.elements.items())],
                "links": [[one.source, one.relation, one.target, one.decision] for one in projection.links],
                "decisions": [_decision(one) for one in projection.decisions.values()],
                "shown_as": [list(pair) for pair in sorted(projection.shown_as.items())],
                "note_heads": [[id_, list(heads)] for id_, heads in sorted(projection.note_heads.items())],
                "forgotten": sorted(projection.forgotten),
            },
            option=orjson.OPT_SORT_KEYS,
        )
        + b"\n"
    )


def _project(one: Project) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "remotes": sorted(one.remotes),
        "roots": [{"install": root.install, "path": root.path} for root in sorted(one.roots)],
        "merged": list(one.merged),
        "aliases": list(one.aliases),
    }


def _element(one: Element) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "name": one.name,
        "gist": one.gist,
        "scope": one.scope,
        "project": one.project,
        "props": dict(one.props),
        "notes": list(one.notes),
        "touches": list(one.touches),
        "aliases": list(one.aliases),
        "heads": list(one.heads),
        "decisions": list(one.decisions),
        "evidence": list(one.evidence),
    }


def _decision(one: Decision) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "why": one.why,
        "at": write_instant(one.at),
        "valid_at": write_instant(one.valid_at),
        "actor": one.actor,
        "session": one.session,
        "scope": one.scope,
        "project": one.project,
        "mutations": [dict(mutation) for mutation in one.mutations],
        "evidence": list(one.evidence),
        "about": list(one.about),
        "supersedes": list(one.supersedes),
        "superseded_by": one.superseded_by,
        "elements": list(one.elements),
    }
