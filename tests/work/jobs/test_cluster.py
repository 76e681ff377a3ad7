"""The head of a Ray cluster, attnviz/work/jobs/cluster.py, against a stand-in for one."""

import shlex
import socket
from threading import Thread

import pytest

from attnviz.errors import BadInput
from attnviz.work.jobs import cluster
from attnviz.work.jobs.cluster import Cluster, Look, Room, Unreachable, address
from tests.work.jobs import head as heads


@pytest.fixture(autouse=True)
def no_token(monkeypatch, tmp_path):
    """Let no token lie on this machine, and no cluster be known to be silent."""
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "none"))
    cluster._silent.clear()


@pytest.fixture
def head():
    with heads.running() as found:
        yield found


@pytest.mark.parametrize("word", ["http://127.0.0.1:8265", "http://localhost:8265/", "http://[::1]:8265"])
def test_a_head_on_loopback_needs_no_token(word):
    assert address(word) == word.rstrip("/")


@pytest.mark.parametrize("word", ["http://10.0.0.4:8265", "https://ray.example.org:443", "http://127.0.0.1.nip.io:80"])
def test_any_other_head_needs_a_token(word, monkeypatch, tmp_path):
    with pytest.raises(
        BadInput, match="is not on this machine, .* it needs a token. Start it with RAY_AUTH_MODE=token"
    ):
        address(word)
    monkeypatch.setenv("RAY_AUTH_TOKEN", "secret")
    assert address(word) == word
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    (tmp_path / "none").write_text("secret\n")
    assert address(word) == word


@pytest.mark.parametrize(
    "word",
    ["", "127.0.0.1:8265", "ray://127.0.0.1:10001", "http://127.0.0.1", "http://127.0.0.1:8265/x", "http://:80",
     "http://127.0.0.1:99999", "file:///etc/passwd", "http://127.0.0.1:1?x", "http://127.0.0.1:1#x"],
)  # fmt: skip
def test_anything_else_is_no_address(word):
    with pytest.raises(BadInput, match="A cluster is named by the address of its head, such as"):
        address(word)


def test_an_address_holds_no_password():
    with pytest.raises(BadInput, match="holds no name and no password"):
        address("http://me:secret@127.0.0.1:8265")


def test_the_room_of_each_node_is_what_is_not_in_use(head):
    head.nodes = {"a": {"CPU": (1.0, 2.0)}, "b": {"CPU": (0.0, 4.0), "GPU": (1.0, 2.0)}, "c": {"memory": (0.0, 5.0)}}
    one = Cluster(head.address)
    assert one.free() == [Room(1.0, 0.0), Room(4.0, 1.0), Room(0.0, 0.0)]
    assert one.has_gpu()
    del head.nodes["b"]
    assert not one.has_gpu()


def test_a_command_is_submitted_as_one_line_of_a_shell_that_means_the_same_words(head):
    words = ["python", "-m", "attnviz", "it's $HOME; rm -rf"]
    Cluster(head.address).submit("a.1", words, {"ATTNVIZ_RUNS": "/runs"}, 2, 0)
    sent = head.jobs["a.1"]
    assert shlex.split(sent["entrypoint"]) == words
    assert sent["runtime_env"] == {"env_vars": {"ATTNVIZ_RUNS": "/runs"}}
    assert (sent["entrypoint_num_cpus"], "entrypoint_num_gpus" in sent) == (2, False)
    Cluster(head.address).submit("a.2", words, {}, 1, 1)
    assert head.jobs["a.2"]["entrypoint_num_gpus"] == 1


def test_a_submission_is_looked_at_and_stopped(head):
    one = Cluster(head.address)
    assert one.look("a.1") is None
    one.submit("a.1", ["true"], {}, 1, 0)
    assert one.look("a.1") == Look("RUNNING", "")
    head.end("a.1", "FAILED", "JOB_SUPERVISOR_ACTOR_DIED")
    assert one.look("a.1") == Look("FAILED", "JOB_SUPERVISOR_ACTOR_DIED")
    one.stop("a.1")
    assert head.stopped == ["a.1"]


def test_the_token_goes_to_the_head_and_nowhere_else(head, monkeypatch):
    Cluster(head.address).look("a.1")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "secret")
    Cluster(head.address).look("a.1")
    assert head.asked == [("/api/jobs/a.1", None), ("/api/jobs/a.1", "Bearer secret")]
    with heads.running() as other:
        head.status, head.location = 302, f"{other.address}/api/jobs/a.1"
        with pytest.raises(Unreachable, match="answers 302"):
            Cluster(head.address).look("a.1")
        assert not other.asked


@pytest.mark.parametrize(("status", "said"), [(401, "requires a token"), (403, "It refuses the token"), (500, "500")])
def test_a_head_that_refuses_says_so(head, status, said):
    head.status = status
    with pytest.raises(Unreachable, match=said):
        Cluster(head.address).free()


def test_a_head_that_does_not_answer_is_left_alone_for_a_while(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        one = Cluster(f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(Unreachable, match="does not answer: connection refused"):
            one.free()
        monkeypatch.setattr(cluster._OPENER, "open", lambda *_, **__: pytest.fail("it was asked again"))
        with pytest.raises(Unreachable, match="does not answer: connection refused"):
            one.free()


@pytest.mark.parametrize(
    "greeting",
    [b"SSH-2.0-OpenSSH_9.6\r\n", b"-ERR unknown command\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"],
    ids=["ssh", "redis", "cut off"],
)
def test_what_does_not_speak_http_is_one_sentence(greeting):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(greeting)

        Thread(target=answer, daemon=True).start()
        with pytest.raises(Unreachable, match="does not answer: "):
            Cluster(f"http://127.0.0.1:{server.getsockname()[1]}").free()


def test_what_is_no_head_is_not_believed(head):
    head.answer = lambda *_: (200, {"data": []})
    with pytest.raises(Unreachable, match="does not answer as the head of a Ray cluster does"):
        Cluster(head.address).free()
