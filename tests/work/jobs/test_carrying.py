"""Finished runs as one file, attnviz/work/jobs/carrying.py."""

import io
import json
import zipfile

import pytest
import torch

from attnviz import checkpoints
from attnviz.errors import AttnvizError, BadInput, CheckpointError, UnknownName
from attnviz.recipes.recipe import Probe
from attnviz.subjects import kinds
from attnviz.subjects.history import key_of_run
from attnviz.training import mistakes, runs
from attnviz.training.run import Run
from attnviz.work import packing
from attnviz.work.jobs import carrying
from attnviz.work.packing import packed
from tests.training import small

CHOSEN = small.recipe(epochs=3)


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """A finished run, its weights and the file that it was packed into."""
    with small.place(tmp_path_factory.mktemp("there")):
        info = small.run_file(CHOSEN)
        list(Run(info).train(small.training(CHOSEN)))
        yield info.id, runs.weights(info.id, 2), runs.curve(info.id), carrying.packed(info.id)


@pytest.fixture
def here(there, tmp_path, monkeypatch):
    """A machine that has no runs."""
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def test_a_run_that_was_packed_is_the_same_elsewhere(there, here):
    name, weights, curve, content = there
    assert carrying.bring(content) == name
    assert runs.ids() == [name] and [one.name for one in here.iterdir()] == [name]
    assert runs.curve(name) == curve
    assert len(runs.durations(name)) == len(curve) == 3
    assert mistakes.read(name) is not None
    assert runs.epochs(name) == [1, 2, 3]
    kept = kinds.net(key_of_run(name, 2)).load().model.state_dict()
    assert all(torch.equal(kept[key], tensor) for key, tensor in weights.items())
    assert carrying.packed(name) == content
    assert carrying.bring(content) == name  # the very same one


@pytest.mark.parametrize(
    ("file", "content"),
    [("curve.jsonl", b""), ("status.json", b'{"state": "stopped"}'), ("weights-2.safetensors", b"other")],
)
def test_another_run_of_that_name_is_not_replaced(there, here, file, content):
    name, _, _, packed = there
    carrying.bring(packed)
    (here / name / file).write_bytes(content)
    before = {path.name: path.read_bytes() for path in (here / name).iterdir()}
    with pytest.raises(BadInput, match=f"Another run with these settings, {name}, is here already, with other results"):
        carrying.bring(packed)
    assert {path.name: path.read_bytes() for path in (here / name).iterdir()} == before


def test_a_run_with_probes_is_carried_along_too(tmp_path, monkeypatch):
    chosen = small.recipe(epochs=1, probes=(Probe(name="gradient_zeros", of="attention.query.weight[0]"),))
    with small.place(tmp_path):
        info = small.run_file(chosen)
        list(Run(info).train(small.training(chosen)))
        content, curve = carrying.packed(info.id), runs.curve(info.id)
    assert "gradient_zeros of attention.query.weight[0]" in curve[0].values
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "elsewhere"))
    assert runs.curve(carrying.bring(content)) == curve


def test_what_is_not_finished_or_damaged_is_not_packed(there, here):
    name, _, _, content = there
    carrying.bring(content)
    path = runs.weights_path(here / name, 2)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CheckpointError):
        carrying.packed(name)
    (here / name / "status.json").write_text('{"state": "running"}')
    with pytest.raises(BadInput, match="is not finished"):
        carrying.packed(name)
    with pytest.raises(UnknownName):
        carrying.packed("../x.y")


def test_whatever_is_no_run_is_one_sentence_and_nothing_is_written(there, here):
    content = there[-1]
    files = packing.members(content, packing.names(content, carrying.LARGEST), carrying.LARGEST)
    told = json.loads(files["run.json"])
    curve = files["curve.jsonl"].decode().splitlines(keepends=True)
    weights = files["weights-2.safetensors"]
    later = runs.encode(there[1], 9, checkpoints.digest(checkpoints.encode(there[1])))

    def figures(line: str) -> bytes:
        return packed({**files, "curve.jsonl": "".join([f"{line}\n", *curve[1:]]).encode()})

    def recipe(**changes) -> bytes:
        return json.dumps({**told, "recipe": {**told["recipe"], **changes}}).encode()

    bad = {
        "nothing": b"", "no zip": b"no zip", "half": content[: len(content) // 2],
        "no settings": packed({"curve.jsonl": files["curve.jsonl"]}),
        "a pickle": packed({**files, "evil.pkl": b"x"}),
        "a state": packed({**files, "state-3.safetensors": weights}),
        "a path": packed({**files, "../weights-1.safetensors": weights}),
        "settings cut off": packed({**files, "run.json": files["run.json"][:-9]}),
        "another model": packed({**files, "run.json": recipe(model="os.system")}),
        "a path as a name": packed({**files, "run.json": recipe(name="../../x")}),
        "a huge model": packed({**files, "run.json": recipe(config={**told["recipe"]["config"], "heads": 10**9})}),
        "fewer epochs": packed({**files, "run.json": recipe(epochs=2)}),
        "no epochs": packed({**files, "curve.jsonl": b""}),
        "an epoch left out": packed({**files, "curve.jsonl": "".join(curve[::2]).encode()}),
        "words for figures": figures('{"epoch": 1, "train_loss": "<script>"}'),
        "markup for a name": figures('{"epoch": 1, "<b>": 1.0}'),
        "no number": figures('{"epoch": 1, "train_loss": NaN}'),
        "other weights": packed({**files, "weights-1.safetensors": weights}),
        "weights cut off": packed({**files, "weights-1.safetensors": weights[:-1]}),
        "a pickle as weights": packed({**files, "weights-1.safetensors": b"\x80\x04cos\nsystem\n"}),
        "later weights": packed({**files, "weights-9.safetensors": later}),
        "a log of something else": packed({**files, "log.txt": b"rm -rf\n"}),
        "a log that is no text": packed({**files, "log.txt": b"\xff\n"}),
        "answers cut off": packed({**files, "answers.json": files["answers.json"][:-9]}),
    }  # fmt: skip
    for what, one in bad.items():
        with pytest.raises(AttnvizError) as refused:
            carrying.bring(one)
            pytest.fail(what)
        assert "\n" not in str(refused.value) and str(here) not in str(refused.value), what
        assert not here.exists() or not [*here.iterdir()], what


def test_a_zip_bomb_is_refused_by_the_sizes_it_states(here, monkeypatch):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.json", bytes(1000))
        archive.writestr("curve.jsonl", bytes(1000))
    monkeypatch.setattr(carrying, "LARGEST", 1500)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was read"))
    with pytest.raises(BadInput, match="more than"):
        carrying.bring(content.getvalue())
