"""Finished runs and models on other storage, attnviz/work/remote.py, against a server that speaks S3."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch

from attnviz import __main__, checkpoints
from attnviz.errors import BadInput, RunError
from attnviz.training import runs
from attnviz.training.run import Run
from attnviz.work import remote
from attnviz.work.jobs import carrying, keeping
from tests.training import small

pytest.importorskip("fsspec", reason="fsspec is not installed here.")

SERVES = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(*server.get_host_and_port(), flush=True)
sys.stdin.read()
"""
CHOSEN = small.recipe(epochs=2)


@pytest.fixture
def run(tmp_path, monkeypatch) -> Iterator[str]:
    """A finished run, and an empty folder of kept models."""
    with small.place(tmp_path):
        monkeypatch.setenv("ATTNVIZ_KEPT", str(tmp_path / "kept"))
        info = small.run_file(CHOSEN)
        list(Run(info).train(small.training(CHOSEN)))
        yield info.id


@pytest.fixture
def bucket(monkeypatch) -> Iterator[str]:
    """A bucket on a server of our own."""
    for name in ("moto", "s3fs", "flask", "flask_cors"):
        pytest.importorskip(name, reason=f"{name} is not installed here, which a server that speaks S3 needs.")
    words = [sys.executable, "-c", SERVES]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        host, port = server.stdout.readline().split()
        for name, value in {
            "ENDPOINT_URL": f"http://{host}:{port}", "ACCESS_KEY_ID": "me", "SECRET_ACCESS_KEY": "secret",
            "DEFAULT_REGION": "us-east-1", "EC2_METADATA_DISABLED": "true",
        }.items():  # fmt: skip
            monkeypatch.setenv(f"AWS_{name}", value)
        import s3fs

        s3fs.S3FileSystem.clear_instance_cache()
        s3fs.S3FileSystem().mkdir("runs")
        yield "s3://runs/"
        s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def folder(tmp_path) -> str:
    (tmp_path / "away").mkdir()
    return f"file://{tmp_path}/away/"


@pytest.mark.parametrize("kind", ["bucket", "folder"])
def test_a_run_and_a_model_are_copied_away_and_come_back_the_same(run, kind, request, capsys, tmp_path, monkeypatch):
    away = request.getfixturevalue(kind)
    name = keeping.keep(run, 1, "mine")
    weights, expected = runs.weights(run, 2), checkpoints.load(name).model.state_dict()
    for one in (run, name):
        assert __main__.main(["jobs", "push", one, away]) == 0
        assert f"{one} is in {away}{one}.zip." in capsys.readouterr().out
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "elsewhere"))
    assert __main__.main(["jobs", "pull", f"{away}{run}.zip"]) == 0
    assert f"is here as {run}." in capsys.readouterr().out
    assert all(torch.equal(tensor, weights[key]) for key, tensor in runs.weights(run, 2).items())
    keeping.remove(name)
    assert remote.pull(f"{away}{name}.zip") == name
    assert remote.pull(f"{away}{name}.zip", "theirs") == "pixel_attention.theirs"
    for brought in (name, "pixel_attention.theirs"):
        found = checkpoints.load(brought).model.state_dict()
        assert all(torch.equal(found[key], tensor) for key, tensor in expected.items())


def test_what_is_not_there_or_is_something_else_is_one_sentence(run, bucket, capsys):
    import s3fs

    s3fs.S3FileSystem().pipe_file("runs/evil.zip", b"\x80\x04cos\nsystem\n")
    for words, said in (
        (["push", run, "s3://nowhere/"], "s3://nowhere/"),
        (["pull", "s3://runs/none.zip"], "there is no such file"),
        (["pull", "s3://runs/evil.zip"], "is damaged"),
        (["push", "none.here", bucket], "There is no run 'none.here'"),
    ):
        assert __main__.main(["jobs", *words]) == 2
        told = capsys.readouterr().err
        assert said in told and told.count("\n") == 1, told


def test_a_file_that_is_too_large_is_not_read_to_its_end(run, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(carrying, "LARGEST", 2**23)
    path = tmp_path / "away" / "large.zip"
    with path.open("wb") as file:
        file.truncate(2**30)
    read = []
    original = remote._read
    monkeypatch.setattr(remote, "_read", lambda file: (read.append(original(file)), read[-1])[1])
    with pytest.raises(BadInput, match="at most"):
        remote.pull(f"{folder}large.zip")
    assert len(read[0]) < 2**24


def test_a_run_keeps_its_own_name(run, folder):
    with pytest.raises(BadInput, match="has a name already"):
        remote.pull(remote.push(run, f"{folder}one.zip"), "mine")


@pytest.mark.parametrize("url", ["", "runs/", "/tmp/x.zip", "nonsense://x/y.zip", "://", "s3:/x"])
def test_what_is_no_url_is_one_sentence(run, url):
    for ask in (lambda: remote.push(run, url), lambda: remote.pull(url)):
        with pytest.raises((BadInput, RunError)) as refused:
            ask()
        assert "\n" not in str(refused.value)


def test_whatever_a_file_system_raises_is_one_sentence(run, monkeypatch):
    class Odd(Exception):
        pass

    def opened(url):
        raise Odd("The server said:\nno.")

    monkeypatch.setattr(remote, "_opened", opened)
    with pytest.raises(RunError, match=r"^odd://x cannot be read: The server said: no\.$"):
        remote.pull("odd://x")


def test_a_missing_package_is_named(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(BadInput, match=r'pip install "attnviz\[remote\]"'):
        remote.push(run, folder)
