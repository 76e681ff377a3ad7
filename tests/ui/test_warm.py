"""What is slow is loaded once, later, in a thread of its own."""

from collections.abc import Iterator

import pytest

from attnviz.ui import warm


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the names of what was loaded, and load nothing; nobody waits for the moment."""
    loaded: list[str] = []
    monkeypatch.setattr(warm, "import_module", loaded.append)
    monkeypatch.setattr(warm, "CALM", 0)
    warm.soon.cache_clear()
    yield loaded
    warm.soon.cache_clear()


def test_models_are_loaded_once_however_many_pages_ask(loads: list[str]) -> None:
    for timer in [warm.soon() for _ in range(3)]:
        timer.join()
    assert loads == ["attnviz.ui.looking"]


def test_without_torch_the_server_lives_on(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"no {name}")

    monkeypatch.setattr(warm, "import_module", missing)
    warm.load_models()
    assert "no attnviz.ui.looking" in caplog.text
