"""What the Containerfile says can be checked without an engine; .ci/run has hadolint read it too."""

import re

from starlette.routing import Route

from attnviz.ui.server import health

from . import containerfile

ROOT = containerfile.ROOT


def test_what_is_copied_is_there_and_is_sent_to_the_build() -> None:
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {str(source) for source in containerfile.copied()} | {"requirements.txt"} == sent
    assert [one for one in sent if not (ROOT / one).exists()] == []


def test_it_runs_as_a_user_that_kubernetes_can_tell_from_root() -> None:
    (user,) = containerfile.of("USER")
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)


def test_all_that_is_written_lies_in_the_volume_or_the_temporary_folder() -> None:
    (volume,) = containerfile.of("VOLUME")
    folders = {name: value for name, value in containerfile.environment().items() if value.startswith("/")}
    del folders["PATH"]
    assert set(folders) == {"ATTNVIZ_RUNS", "ATTNVIZ_KEPT", "ATTNVIZ_DATA", "HOME"}
    assert [name for name, value in folders.items() if not value.startswith((f"{volume}/", "/tmp"))] == []


def test_its_health_check_asks_a_model() -> None:
    (check,) = containerfile.of("HEALTHCHECK")
    (port,) = containerfile.of("EXPOSE")
    (route,) = health.routes()
    assert isinstance(route, Route)
    assert f"http://127.0.0.1:{port}{route.path}'" in check


def test_torch_has_the_versions_of_the_requirements() -> None:
    text = (ROOT / "Containerfile").read_text()
    assert "requirements.txt > torch.txt" in text
    assert not re.search(r"torch[a-z]*==\d", text)
