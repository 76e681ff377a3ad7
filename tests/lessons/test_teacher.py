"""The teacher's folder is the one that the flag names, else that of the environment."""

from pathlib import Path

import pytest

from attnviz.errors import BadInput
from attnviz.lessons.teacher import VARIABLE, of_teacher, take_flag


@pytest.mark.parametrize("words", [["--lessons", "HERE"], ["--lessons=HERE"], ["--other", "--lessons", "HERE"]])
def test_a_flag_names_the_folder(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "elsewhere")
    take_flag([word.replace("HERE", str(tmp_path)) for word in words])
    assert of_teacher() == tmp_path


def test_without_the_flag_the_environment_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "elsewhere")
    take_flag(["--other", "folder"])
    assert of_teacher() == Path("elsewhere")
    monkeypatch.delenv(VARIABLE)
    take_flag([])
    assert of_teacher() is None


@pytest.mark.parametrize("words", [["--lessons"], ["--lessons="], ["--lessons", "/no/such/folder"]])
def test_a_flag_that_names_no_folder_is_said(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(BadInput, match="needs a folder of lessons"):
        take_flag(words)
    assert of_teacher() is None
