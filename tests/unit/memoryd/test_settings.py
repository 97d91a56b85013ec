"""Settings: order of sources, refusals that name the place, and the table in the docs."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from memoryd.errors import SettingsUnusable
from memoryd.settings import ModelSettings, ProjectSettings, Settings, load_settings

DOCS = Path(__file__).parents[3] / "docs" / "settings.md"


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("MEMORYD_"):
            monkeypatch.delenv(name)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_without_a_file_the_defaults_hold(file: Path) -> None:
    settings = load_settings(file)
    assert (settings.service.port, settings.service.host, settings.search.rrf_k) == (0, "127.0.0.1", 10)
    assert settings.search.languages == ("en", "de")
    assert settings.engine.kind == "milvus-lite"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[capture]\nollama_uri = "http://127.0.0.1:11434"\n', "go together"),
        ('[capture]\nollama_uri = "http://h"\nollama_model = "m"\nsummary_command = ["sum"]\n', "set one of them"),
        ('[capture]\nollama_uri = "file:///etc"\nollama_model = "m"\n', "ollama_uri"),
    ],
)
def test_summaries_have_one_source(file: Path, text: str, words: str) -> None:
    file.write_text(text)
    with pytest.raises(SettingsUnusable, match=words):
        load_settings(file)


def test_flag_beats_variable_beats_file_beats_default(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('[service]\nport = 1\nlog_level = "debug"\n[search]\nrrf_k = 20\n')
    assert load_settings(file).service.port == 1
    monkeypatch.setenv("MEMORYD_SERVICE__PORT", "2")
    settings = load_settings(file)
    assert (settings.service.port, settings.service.log_level, settings.search.rrf_k) == (2, "debug", 20)
    assert load_settings(file, flags={"service": {"port": 3}}).service.port == 3


def test_tables_are_read(file: Path) -> None:
    file.write_text(
        '\ufeff[vault]\nwrite_to="work"\n[vault.paths]\nwork="~/notes"\n[projects."shop-1f0a9c22"]\ntags=["tool/x"]\n',
        "utf-8",
    )
    settings = load_settings(file)
    assert settings.vault.paths["work"] == Path("~/notes").expanduser()
    assert settings.projects["shop-1f0a9c22"].tags == ("tool/x",)


def test_models_are_read_and_checked(file: Path) -> None:
    file.write_text('[models.mine]\nlike = "bge-m3"\nrepo = "me/bge"\ndimension = 32\n')
    found = load_settings(file).models["mine"]
    assert (found.like, found.repo, found.revision, found.dimension) == ("bge-m3", "me/bge", "main", 32)
    file.write_text('[models.mine]\nlike = "bge-m3"\n')
    with pytest.raises(SettingsUnusable, match="set one of them"):
        load_settings(file)
    file.write_text('[embedding]\nhub = "ftp://x"\n')
    with pytest.raises(SettingsUnusable, match=r"line 2: embedding\.hub"):
        load_settings(file)


def test_settings_are_frozen(file: Path) -> None:
    settings = load_settings(file)
    with pytest.raises(ValueError, match="frozen"):
        settings.service.port = 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[service]\n\nprot = 1\n", r"line 3: service\.prot: there is no such option; did you mean port\?"),
        ("[servce]\nport = 1\n", r"servce: there is no such option; did you mean \[service\]\? `memoryd settings`"),
        ("[zzz]\nport = 1\n", r"line 1: zzz: there is no such option; `memoryd settings` lists them all"),
        ('[service]\nport = "s3cret"\n', r"line 2: service\.port: should be a valid integer"),
        ("[service]\nport = 70000\n", r"line 2: service\.port: .*65535"),
        ('[service]\nhost = "0.0.0.0"\n', r"line 2: service\.host: should be '127\.0\.0\.1'"),
        ("service = 1\n", r"line 1: service: must be a section"),
        ('[engine]\ntoken = "s3cret\n', r"line 2, column \d+: not valid TOML"),
        ('[engine]\ntoken = "s3cret"\nkind = "milvus"\n', r"engine: kind = \"milvus\" and uri go together"),
        ('[engine]\nuri = "http://u:s3cret@h"\n', r"engine: kind = \"milvus\" and uri go together"),
        ('[vault.paths]\nvault = "/x"\n', r"the name \"vault\""),
        ('[vault]\nwrite_to = "s3cret"\n', r"write_to must be a name in vault\.paths"),
        ('[vault.paths]\nwork = "s3cret"\n', r"line 2: vault\.paths\.work: must be a full path"),
        ('[journal]\nzone = "Mars/s3cret"\n', r"line 2: journal\.zone: is no time zone"),
        ('[search]\nlanguages = ["s3cret"]\n', r"line 2: search\.languages"),
        ('[search]\nlanguages = ["en", "xx"]\n', r"line 2: search\.languages.*there are: ar, .*, en, .*, zh"),
        ('[projects."a.b"]\ntag = []\n', r"line 2: projects\.a\.b\.tag: there is no such option; did you mean tags"),
    ],
)
def test_a_broken_file_is_refused_by_place_and_without_its_values(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(SettingsUnusable, match=said) as caught:
        load_settings(file)
    assert str(file) in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_not_utf8_and_a_folder_are_refused(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b'[journal]\nzone = "\xff"\n')
    with pytest.raises(SettingsUnusable, match="not UTF-8"):
        load_settings(file)
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(SettingsUnusable, match="is a folder"):
        load_settings(folder)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("MEMORYD_SERVICE__PRT", "1", r"MEMORYD_SERVICE__PRT: \[service\] has no option"),
        ("MEMORYD_SERVCE__PORT", "1", r"MEMORYD_SERVCE__PORT: there is no section \[servce\]"),
        ("MEMORYD_SERVICE__PORT", "s3cret", r"the variable MEMORYD_SERVICE__PORT: should be a valid integer"),
        ("MEMORYD_SEARCH__LANGUAGES", "s3cret", r"MEMORYD_SEARCH.*JSON"),
    ],
)
def test_a_broken_variable_is_refused_by_name(
    file: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsUnusable, match=said) as caught:
        load_settings(file)
    assert "s3cret" not in str(caught.value)


def test_variables_that_are_no_options_are_left_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_HOME", "/x")
    monkeypatch.setenv("MEMORYD_TEST_DATA", "/y")
    load_settings(file)


def test_a_secret_is_not_shown(file: Path) -> None:
    file.write_text('[engine]\nkind = "milvus"\nuri = "http://127.0.0.1:19530"\ntoken = "s3cret"\n')
    assert "s3cret" not in repr(load_settings(file))


def _options() -> dict[str, str]:
    found = {"projects.<id>.tags": json.dumps([]), "projects.<id>.code": json.dumps(obj=False)}
    for name, option in ModelSettings.model_fields.items():
        found[f"models.<name>.{name}"] = "required" if option.is_required() else json.dumps(option.default)
    for section, field in Settings.model_fields.items():
        model = field.annotation
        if section == "projects":
            assert list(ProjectSettings.model_fields) == ["tags", "code"]
        if section in {"projects", "models"}:
            continue
        assert isinstance(model, type)
        assert issubclass(model, BaseModel)
        for name, option in model.model_fields.items():
            value = option.get_default(call_default_factory=True)
            found[f"{section}.{name}"] = json.dumps(list(value) if isinstance(value, tuple) else value)
    return found


def test_the_docs_list_every_option_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `([^`]+)` \| (none|required|`[^`]+`) \|", DOCS.read_text("utf-8"), re.MULTILINE))
    assert {name: default.strip("`").replace("none", "null") for name, default in rows.items()} == _options()


def test_the_example_in_the_docs_is_valid(file: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert example is not None
    tomllib.loads(example.group(1))
    file.write_text(example.group(1))
    assert load_settings(file).service.port == 7077
