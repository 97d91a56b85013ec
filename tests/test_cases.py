"""Which test covers which case: faults that other memories had (BH01 to BH46), and behaviours worth having (1 to 40).

A test names its cases in its name or docstring: a file's docstring names none, since nobody could say which of its
tests would fail. What covers a case without naming it stands here, and has to be there. A case that nothing covers
would stand in ``LEFT_OUT`` with the reason.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FAULTS = [f"BH{number:02}" for number in range(1, 47)]
BEHAVIOURS = [f"behaviour {number}" for number in range(1, 41)]

COVERED = {
    "BH01": ["unit/text/test_pieces.py::test_a_table_cell_of_21000_characters"],
    "BH02": ["unit/text/test_blocks.py::test_a_comment_in_a_shell_fence_is_no_heading"],
    "BH03": ["unit/text/test_pieces.py::test_no_sentence_stands_in_two_pieces"],
    "BH04": ["unit/episodic/search/test_arms.py::test_a_note_of_22_kb_without_headings_is_found_at_its_end"],
    "BH09": ["unit/episodic/test_store_edits.py::test_refreshing_one_file_touches_no_other"],
    "BH10": ["unit/episodic/test_store_edits.py::test_near_equal_names_stay_apart"],
    "BH11": [
        "unit/episodic/test_store_edits.py::test_a_deleted_file_leaves_no_ghost",
        "integration/test_watch_machine.py::test_a_deleted_file_leaves_no_ghost",
    ],
    "BH14": ["unit/episodic/search/test_arms.py::test_equal_texts_are_one_hit_that_names_both_places"],
    "BH16": ["integration/test_episodic_store.py::test_closing_leaves_no_process_no_lock_and_no_socket"],
    "BH17": ["contract/test_engine_contract.py::test_any_name_filters_as_itself"],
    "BH42": ["unit/episodic/test_concurrency.py::test_eight_writers_and_an_editor_lose_nothing"],
    "BH45": ["e2e/test_faults.py::test_evil_host_is_refused_everywhere"],
    "behaviour 1": ["unit/text/test_pieces.py::test_documents_that_say_nothing_give_no_piece"],
    "behaviour 2": ["unit/text/test_pieces.py::test_text_before_the_first_heading_stands_alone"],
    "behaviour 3": ["unit/text/test_pieces.py::test_no_shape_breaks_the_cap"],
    "behaviour 4": ["unit/text/test_pieces.py::test_headings_inside_a_fence_are_none"],
    "behaviour 5": [
        "unit/text/test_pieces.py::test_cjk_is_cut_at_its_own_full_stops",
        "unit/text/test_pieces.py::test_graphemes_stay_whole",
    ],
    "behaviour 6": [
        "unit/episodic/index/test_chunk.py::test_the_same_input_twice_gives_the_same_ids_and_a_line_above_changes_none",
        "unit/episodic/index/test_chunk.py::test_another_text_has_another_id",
    ],
    "behaviour 7": [
        "unit/text/test_pieces.py::test_lines_are_those_of_the_file_as_stored",
        "unit/semantic/vault/test_note.py::test_lines_lead_to_the_text",
    ],
    "behaviour 8": [
        "unit/episodic/test_store_vectors.py::test_a_front_matter_change_or_an_inserted_line_embeds_nothing_again",
        "unit/semantic/search/test_index.py::test_a_rename_or_new_tag_embeds_the_same_strings",
    ],
    "behaviour 9": [
        "integration/test_embeds_nothing.py::test_a_second_run",
        "unit/episodic/test_store_edits.py::test_a_second_scan_changes_nothing",
    ],
    "behaviour 10": ["unit/episodic/test_store_edits.py::test_a_folder_is_removed_by_its_whole_name"],
    "behaviour 11": [
        "integration/test_watch_machine.py::test_events_inside_the_debounce_window_end_in_the_last_state",
        "unit/semantic/vault/test_library.py::test_an_atomic_save_is_a_change",
    ],
    "behaviour 12": [
        "unit/memoryd/test_watch.py::test_quick_events_of_one_path_are_one_burst_and_those_of_others_are_not_lost",
    ],
    "behaviour 13": [
        "integration/test_watch_machine.py::test_rules_hide_and_show_in_every_root",
        "unit/semantic/vault/test_library.py::test_rules_are_the_same_for_scan_and_events_and_take_effect_when_turned_on",
    ],
    "behaviour 14": [
        "unit/episodic/test_store_edits.py::test_a_bad_file_is_reported_and_the_rest_is_read",
        "unit/semantic/vault/test_library.py::test_odd_files_are_named_and_the_rest_is_read",
    ],
    "behaviour 15": ["unit/episodic/test_store_edits.py::test_what_happened_while_down_is_caught_up"],
    "behaviour 16": [
        "contract/test_engine_contract.py::test_vectors_of_another_length_are_refused_by_both_sizes",
        "integration/test_episodic_store.py::test_a_database_that_cannot_be_used_is_set_aside_and_filled_anew",
    ],
    "behaviour 17": ["e2e/test_rebuild.py::test_state_can_be_deleted"],
    "behaviour 35": [
        "unit/semantic/attention/test_active.py::test_new_elements_are_kept_within_their_share_newest_first",
        "unit/semantic/attention/test_active.py::test_reading_is_recent_but_no_grace",
    ],
    "behaviour 36": ["unit/memoryd/test_brief.py::test_units_are_those_of_the_text_returned_and_keep_the_limit"],
    "behaviour 37": [
        "unit/semantic/attention/test_active.py::test_below_the_ceiling_the_best_that_fits_is_promoted",
        "unit/semantic/attention/test_active.py::test_a_pass_that_archived_does_not_refill",
        "unit/semantic/attention/test_active.py::test_refill_fills_up_to_the_ceiling",
    ],
    "behaviour 38": [
        "e2e/test_attention.py::test_an_agents_read_brings_an_archived_element_back_and_is_written",
        "unit/semantic/attention/test_active.py::test_an_edge_to_an_archived_element_counts_a_fifth_and_to_an_orphan_nothing",
    ],
}
"""Case to tests that cover it without naming it: file below ``tests``, and function."""

LEFT_OUT: dict[str, str] = {}
"""Case to the reason why nothing covers it."""

_FAULT = re.compile(r"\bbh[_ ]?(\d+)\b|(?<=_)bh(\d+)(?=_)", re.IGNORECASE)
_BEHAVIOURS = re.compile(r"behaviours?[ _](\d+(?:(?:, and |, | and )\d+)*)", re.IGNORECASE)


@cache
def functions(path: str) -> dict[str, str]:
    """Return the tests of a file by name, each with its name and docstring in one text."""
    tree = ast.parse((TESTS / path).read_text("utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {node.name: f"{node.name}\n{ast.get_docstring(node) or ''}" for node in found}


@cache
def named_cases() -> frozenset[str]:
    """Return the cases that some test names, in its name or its docstring."""
    named = set()
    for file in sorted(TESTS.rglob("test_*.py")):
        if file == Path(__file__):
            continue
        for name, text in functions(str(file.relative_to(TESTS))).items():
            if name.startswith("test_"):
                named |= {f"BH{int(one or other):02}" for one, other in _FAULT.findall(text)}
                for numbers in _BEHAVIOURS.findall(text):
                    named |= {f"behaviour {number}" for number in re.findall(r"\d+", numbers)}
    return frozenset(named)


def test_each_case_has_a_test_or_a_reason() -> None:
    missing = [case for case in (*FAULTS, *BEHAVIOURS) if case not in {*named_cases(), *COVERED, *LEFT_OUT}]
    assert missing == []


def test_what_is_said_of_cases_is_of_cases_that_there_are() -> None:
    assert {*COVERED, *LEFT_OUT, *named_cases()} <= {*FAULTS, *BEHAVIOURS}
    assert not COVERED.keys() & LEFT_OUT.keys()


@pytest.mark.parametrize("case", COVERED)
def test_what_covers_a_case_is_there(case: str) -> None:
    for place in COVERED[case]:
        path, _, name = place.partition("::")
        assert name in functions(path), f"{case}: {place} is gone; name the test that covers it now"
