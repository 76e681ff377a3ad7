"""What leaves the table of heads: files that hold its figures, from the library and from the command line."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import attnviz
from attnviz.__main__ import main
from attnviz.head_table import export
from attnviz.head_table.claims import ClaimWork
from attnviz.head_table.table import MEASURES, METHOD
from tests.head_table.test_table import own_cache as own_cache
from tests.head_table.test_table import small, some_pictures


def test_files_hold_the_figures_of_the_table() -> None:
    net, images = small(), some_pictures(4)
    found = attnviz.heads(net, images, mask="ink", places=2)
    work = ClaimWork(net, images, "ink")
    tested = work.tested(work.all())
    text = export.to_csv(found, tested, {"model": "a net"})
    assert text.startswith("# model: a net\n# pictures: 4\n")
    rows = list(csv.DictReader(io.StringIO("".join(line for line in text.splitlines(True) if line[0] != "#"))))
    assert [row["head"] for row in rows] == [head.name for head in found.heads]
    np.testing.assert_allclose([float(row["effect"]) for row in rows], found["effect"].mean(1))
    np.testing.assert_allclose([float(row["entropy random"]) for row in rows], found.random["entropy"].mean(1))
    assert float(rows[0]["claim even"]) == tested[-1].holds.value[0]
    arrays = np.load(io.BytesIO(export.to_npz(found, {"model": "a net"})), allow_pickle=False)
    assert json.loads(str(arrays["origin"])) == {"model": "a net", "pictures": 4, "intervals": METHOD}
    for name in MEASURES:
        np.testing.assert_array_equal(arrays[name], found[name])
    assert json.loads(export.to_json(found))["heads"][1]["head"] == "1.2"
    page = export.to_html(found, tested, {"model": "<a net>"})
    assert "&lt;a net&gt;" in page and "http" not in page and f"{found['effect'].mean(1)[0]:.3g}" in page


def test_the_command_writes_files_and_tests_a_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("def always(map):\n    return True\n")
    words = ["heads", "pixel_attention.digits", "strokes", "--count", "2", "--no-random"]
    assert main([*words, "--claim", f"{tmp_path}/mine.py:always", "--csv", f"{tmp_path}/heads.csv"]) == 0
    said = capsys.readouterr().out
    assert "8 heads of pixel_attention.digits, 2 pictures of strokes." in said and "always: 1.1 100%" in said
    assert "the class token needs: cannot be tested here\n" in said and "nan" not in said
    assert "claim always" in (tmp_path / "heads.csv").read_text()
    assert main([*words, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["heads"]) == 8
    assert main([*words, "--claim", "nothing.py:f"]) != 0
    assert "FILE.py:function" in capsys.readouterr().err
