"""The pictures of clothes on the home page."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest


def page() -> None:
    from attnviz.ui.mechanisms.element_wise import MECHANISM

    MECHANISM.home()


def said(at: AppTest) -> str:
    return "\n".join(one.value for one in at.markdown)


def test_each_picture_leads_to_the_page(placed: Path) -> None:
    at = AppTest.from_function(page, default_timeout=60).run()
    assert not at.exception
    assert said(at).count("data:image/png") == 10
    assert "model=element_wise." in said(at)


def test_without_a_model_of_clothes_there_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert said(AppTest.from_function(page, default_timeout=60).run()) == ""
