"""What all tests share: where the real data is, if it is at hand."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# A machine with other work to do is slower, and not wrong.
settings.register_profile("untimed", settings(), deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def runtime_folder() -> Iterator[None]:
    """Give daemons a runtime folder of the run's own: what a killed one leaves goes with it."""
    folder = Path(tempfile.mkdtemp(prefix="md-"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of real vaults, journals and dialogues; the test is skipped without it."""
    folder = os.environ.get("MEMORYD_TEST_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("MEMORYD_TEST_DATA names no folder of real data")
    return Path(folder)
