from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from semantic.errors import InvalidFolder
from semantic.project.checkout import normalise_origin, read_checkout


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True)


def repository(folder: Path, origin: str | None = None, git: str = ".git") -> Path:
    """Make what git init makes, as far as a look-up reads it."""
    common = folder / git if git else folder
    for name in ("objects", "refs"):
        (common / name).mkdir(parents=True)
    (common / "HEAD").write_text("ref: refs/heads/main\n")
    remote = (
        ""
        if origin is None
        else f'[remote "origin"]\n\turl = {origin}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'
    )
    (common / "config").write_text(f"[core]\n\tbare = false\n{remote}")
    return folder


def worktree(main: Path, folder: Path) -> Path:
    """Make what git worktree add makes."""
    inner = main / ".git" / "worktrees" / folder.name
    inner.mkdir(parents=True)
    (inner / "HEAD").write_text("ref: refs/heads/feature\n")
    (inner / "commondir").write_text("../..\n")
    folder.mkdir(parents=True)
    (folder / ".git").write_text(f"gitdir: {inner}\n")
    return folder


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com:Acme/Widget.git",
        "github.com:Acme/Widget",
        "ssh://git@github.com/Acme/Widget.git",
        "ssh://git@GitHub.com:22/Acme/Widget/",
        "https://github.com/Acme/Widget",
        "https://user:pass@github.com:443/Acme/Widget.git",
        "git://github.com//Acme/Widget.git",
        "git+ssh://git@github.com/Acme/Widget.git",
    ],
)
def test_all_forms_of_an_origin_are_one(url: str) -> None:
    assert normalise_origin(url) == "github.com/Acme/Widget"


@pytest.mark.parametrize(
    "url",
    [None, "", "/srv/git/x.git", "../x", "file:///srv/x.git", "C:\\repos\\x", "https://", "https://[x/y", "nowhere"],
)
def test_what_another_machine_could_not_recognise_is_no_origin(url: str | None) -> None:
    assert normalise_origin(url) is None


def test_a_sub_folder_belongs_to_its_repository(tmp_path: Path) -> None:
    top = repository(tmp_path / "myproject")
    inner = top / "src" / "deep"
    inner.mkdir(parents=True)
    assert read_checkout(inner) == read_checkout(top)


def test_a_worktree_belongs_to_its_repository_and_has_its_name(tmp_path: Path) -> None:
    main = repository(tmp_path / "w" / "myproject")
    tree = worktree(main, tmp_path / "w" / "zurich-v1")
    found = read_checkout(tree / "src")
    assert found == read_checkout(main)
    assert found is not None
    assert found.name == "myproject"
    assert found.roots == (str(main / ".git"),)


def test_a_relative_gitdir_is_read_from_its_folder(tmp_path: Path) -> None:
    main = repository(tmp_path / "myproject")
    tree = worktree(main, tmp_path / "tree")
    (tree / ".git").write_text("gitdir: ../myproject/.git/worktrees/tree\n")
    assert read_checkout(tree) == read_checkout(main)


def test_a_submodule_is_its_own_project(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    repository(main / ".git" / "modules" / "lib", "https://example.org/acme/lib.git", git="")
    (main / "lib").mkdir()
    (main / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n")
    found = read_checkout(main / "lib")
    assert found is not None
    assert (found.name, found.origin) == ("lib", "example.org/acme/lib")


def test_worktrees_of_a_bare_repository_are_one(tmp_path: Path) -> None:
    bare = repository(tmp_path / "proj" / ".bare", git="")
    inner = bare / "worktrees" / "one"
    inner.mkdir(parents=True)
    (inner / "commondir").write_text("../..\n")
    (tmp_path / "proj" / "one").mkdir()
    (tmp_path / "proj" / "one" / ".git").write_text(f"gitdir: {inner}\n")
    found = read_checkout(tmp_path / "proj" / "one")
    assert found is not None
    assert found.name == "proj"
    assert found.roots == (str(bare),)


def test_the_name_is_that_of_the_origin_on_every_machine(tmp_path: Path) -> None:
    found = read_checkout(repository(tmp_path / "my-copy", '"git@github.com:Acme/Widget.git" # ours'))
    assert found is not None
    assert (found.name, found.origin) == ("Widget", "github.com/Acme/Widget")


def test_other_remotes_are_no_origin(tmp_path: Path) -> None:
    top = repository(tmp_path / "p")
    (top / ".git" / "config").write_text(
        '[remote "upstream"]\n url = https://x.org/a/b\n[branch "origin"]\n url = y:z\n'
    )
    found = read_checkout(top)
    assert found is not None
    assert found.origin is None


def test_a_plain_folder_offers_itself_and_those_above(tmp_path: Path) -> None:
    folder = tmp_path / "code" / "日记 app"
    folder.mkdir(parents=True)
    found = read_checkout(folder)
    assert found is not None
    assert found.name == "日记 app"
    assert found.roots[:2] == (str(folder), str(folder.parent))
    assert read_checkout(folder / "gone") is not None


def test_a_folder_that_is_never_a_project_is_none_and_no_root(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "code").mkdir(parents=True)
    assert read_checkout(home, (home,)) is None
    inner = read_checkout(home / "code", (home,))
    assert inner is not None
    assert str(home) not in inner.roots
    assert read_checkout(repository(home), (home,)) is not None


def test_the_root_is_no_project_and_a_relative_path_is_refused() -> None:
    assert read_checkout(Path("/")) is None
    with pytest.raises(InvalidFolder):
        read_checkout(Path("code/x"))


def test_a_broken_git_file_leaves_a_plain_folder(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / ".git").write_text("gitdir: /nowhere/at/all\n")
    found = read_checkout(tmp_path / "p")
    assert found is not None
    assert (found.name, found.origin) == ("p", None)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ('id = "widget-9c1e22ab"', "widget-9c1e22ab"),
        ('[project]\nid = "widget-9c1e22ab"', "widget-9c1e22ab"),
        ('project = "widget-9c1e22ab"', "widget-9c1e22ab"),
        ("id = 3", None),
        ("id = [", None),
    ],
)
@pytest.mark.parametrize("version", ["2", "4"])
def test_a_stated_id_is_read_from_the_top(tmp_path: Path, text: str, stated: str | None, version: str) -> None:
    top = tmp_path / "p"
    git(tmp_path, "init", "--quiet", "p")
    git(top, "config", "index.version", version)
    for name in (".gitignore", ".memoryd.toml", ".memoryd.toml.old"):
        (top / name).write_text(text if name == ".memoryd.toml" else "x")
    git(top, "add", "--all")
    (top / "src").mkdir()
    found = read_checkout(top / "src")
    assert found is not None
    assert found.stated_id == stated


def test_a_stated_id_that_git_does_not_have_says_nothing(tmp_path: Path) -> None:
    top = tmp_path / "p"
    git(tmp_path, "init", "--quiet", "p")
    below = top / "below"
    below.mkdir()
    (below / ".memoryd.toml").write_text('id = "widget-9c1e22ab"')
    git(top, "add", "--all")
    stated = top / ".memoryd.toml"
    stated.write_text('id = "widget-9c1e22ab"')
    found = read_checkout(top)
    assert found is not None
    assert found.stated_id is None
    git(top, "add", "--all")
    assert (found := read_checkout(top)) is not None
    assert found.stated_id == "widget-9c1e22ab"
    stated.write_text('id = "other-9c1e22ab"')
    assert (found := read_checkout(top)) is not None
    assert found.stated_id is None


def test_outside_a_repository_a_file_states_nothing(tmp_path: Path) -> None:
    (tmp_path / ".memoryd.toml").write_text('id = "widget-9c1e22ab"')
    assert (found := read_checkout(tmp_path)) is not None
    assert found.stated_id is None
