"""What is slow is loaded once, later, in a thread of its own."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from attnviz.ui.server import preload


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the names of what was loaded, and load nothing; nobody waits for the moment."""
    loaded: list[str] = []

    def load(name: str) -> SimpleNamespace:
        loaded.append(name)
        return SimpleNamespace(load=lambda *_, **__: None)

    monkeypatch.setattr(preload, "import_module", load)
    monkeypatch.setattr(preload, "CALM", 0)
    preload.soon.cache_clear()
    yield loaded
    preload.soon.cache_clear()


def test_models_are_loaded_once_however_many_pages_ask(loads: list[str]) -> None:
    for timer in [preload.soon() for _ in range(3)]:
        timer.join()
    assert loads[-1] == "attnviz.ui.shared.inference"
    assert loads.count("attnviz.ui.shared.inference") == loads.count("PIL.Image") == 1


def test_without_torch_the_server_lives_on(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"no {name}")

    monkeypatch.setattr(preload, "import_module", missing)
    preload.load_models()
    assert "no attnviz.ui.shared.inference" in caplog.text
