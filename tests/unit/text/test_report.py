from __future__ import annotations

from memoryd.text.report import Problem, Report


def test_reports_add_up_and_keep_problems_in_order() -> None:
    first = Report(files=3, changed=2, removed=1, problems=(Problem("a.md", "bad bytes"),))
    second = Report(files=4, changed=0, removed=2, problems=(Problem("b.md", "bad YAML"),))
    assert first + second == Report(7, 2, 3, (Problem("a.md", "bad bytes"), Problem("b.md", "bad YAML")))


def test_an_empty_report_changes_nothing() -> None:
    report = Report(1, 1, 1, (Problem("a", "b"),))
    assert report + Report() == Report() + report == report
