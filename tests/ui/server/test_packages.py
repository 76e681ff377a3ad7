"""Components of other packages, which Streamlit finds by the rows of their mechanisms."""

import logging
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from attnviz.ui.mechanisms import MECHANISMS, Mechanism
from attnviz.ui.server import packages

COMPONENTS = ("other.stages", "other.panels")


@pytest.fixture
def row(tmp_path: Path) -> Mechanism:
    (tmp_path / "other" / "frontend").mkdir(parents=True)
    return replace(
        MECHANISMS["pixel_attention"],
        name="other", components=COMPONENTS, preload=COMPONENTS[:1], frontend=tmp_path / "other" / "frontend",
    )  # fmt: skip


def test_streamlit_registers_the_components_of_a_row(row: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", list)
    packages.declare([*MECHANISMS.values(), row])
    manager = BidiComponentManager()
    manager.discover_and_register_components(start_file_watching=False)
    assert [manager.get_component_path(name) for name in COMPONENTS] == [str(row.frontend)] * 2
    assert manager.get_component_path("attnviz.pixel_viewer") is None, "of which no row is to speak"


def test_what_streamlit_has_found_by_itself_is_not_declared_again(row: Mechanism, tmp_path: Path) -> None:
    theirs = [(ComponentManifest("other", "1.0", [ComponentConfig("panels", "elsewhere")]), tmp_path)]
    scanner = SimpleNamespace(scan_component_manifests=lambda: theirs)
    for _ in range(2):  # the second call replaces the first
        packages.declare([row], scanner)
    names = [f"{one.name}.{part.name}" for one, _ in scanner.scan_component_manifests() for part in one.components]
    assert names == ["other.panels", "other.stages"]


def test_a_row_whose_folder_is_not_there_takes_no_other_with_it(
    row: Mechanism, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lost = replace(row, name="lost", components=("lost.panels",), preload=(), frontend=tmp_path / "nowhere")
    with caplog.at_level(logging.ERROR):
        found = packages.of_rows([lost, row])
    assert [manifest.name for manifest, _ in found] == ["other", "other"]
    assert f"The components of the mechanism lost are not there: no folder {tmp_path / 'nowhere'}." in caplog.text
