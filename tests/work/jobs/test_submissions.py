"""Jobs on a cluster, attnviz/work/jobs/submissions.py and table.py, against a stand-in for its head."""

import json
import shlex
from itertools import count

import pytest
from filelock import FileLock

from attnviz.__main__ import main
from attnviz.errors import BadInput
from attnviz.training import runs, seeds
from attnviz.work.jobs import cluster, submissions, table
from attnviz.work.jobs.order import Order
from tests.training import small
from tests.work.jobs import head as heads

NODE, OWN = "JOB_SUPERVISOR_ACTOR_DIED", "JOB_ENTRYPOINT_COMMAND_ERROR"


@pytest.fixture
def head(tmp_path, monkeypatch):
    """A place with one recipe, and a head; whoever looks never finds that it was a moment ago."""
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "none"))
    monkeypatch.setattr(submissions, "_AGAIN", 0.0)
    monkeypatch.setattr(submissions, "_SETTLE", 0.0)
    for known in (submissions._said, submissions._looked, submissions._signs, cluster._silent):
        known.clear()
    with small.place(tmp_path), heads.running() as found:
        yield found


def _start(head, **changes) -> str:
    values = {"model": "pixel_attention", "recipe": "small", "cluster": head.address, **changes}
    return table.start(Order.model_validate(values))


def _trained(more: int | None = None) -> None:
    """Train the run of a job, as a node would."""
    chosen = small.recipe()
    try:
        seeds.train_runs(chosen, [0], device="cpu", threads=1, report=small.silent, command="", more=more)
    except KeyboardInterrupt:
        assert more


def _say(job: str, words: str) -> None:
    (table.folder() / job / "log.txt").write_text(words)


def test_a_job_is_submitted_under_its_name_and_attempt_and_its_folder_tells_its_end(head):
    job = _start(head)
    assert list(head.jobs) == [f"{job}.1"]
    sent = head.jobs[f"{job}.1"]
    assert shlex.split(sent["entrypoint"])[1:] == ["-m", "attnviz", "jobs", "work", job]
    told = sent["runtime_env"]["env_vars"]
    assert told["ATTNVIZ_RUNS"] == str(runs.folder().absolute())
    assert (told["OMP_NUM_THREADS"], told["RAY_JOB_STOP_WAIT_TIME_S"]) == ("1", "60")
    assert table.state(job).word == "running"
    assert _start(head) == job  # it is not submitted twice
    table.tend()
    assert table.state(job).sentence == "It is training on the cluster."
    _trained()
    head.end(f"{job}.1", "SUCCEEDED")
    table.tend()
    assert table.state(job).word == "finished"
    assert list(head.jobs) == [f"{job}.1"]


def test_no_secret_of_the_app_is_told_to_the_cluster(head, monkeypatch):
    for name in ("ATTNVIZ_TRAIN_TOKEN", "ATTNVIZ_METRICS", "ATTNVIZ_OF_A_LATER_VERSION", "RAY_AUTH_TOKEN"):
        monkeypatch.setenv(name, "for nobody else")
    monkeypatch.setenv("ATTNVIZ_KEPT", "/kept")
    job = _start(head)
    assert "for nobody else" not in json.dumps(head.jobs[f"{job}.1"])
    assert head.jobs[f"{job}.1"]["runtime_env"]["env_vars"]["ATTNVIZ_KEPT"] == "/kept"


def test_it_waits_until_a_node_has_room(head):
    head.nodes = {"a": {"CPU": (1.0, 2.0)}, "b": {"CPU": (3.0, 4.0)}}
    job = _start(head, threads=2)  # two are free, but not on one node
    assert not head.jobs
    assert table.state(job).sentence == "No node of the cluster has room for it. It waits, at place 1 of 1."
    head.nodes["b"]["CPU"] = (2.0, 4.0)
    table.tend()
    assert head.jobs[f"{job}.1"]["entrypoint_num_cpus"] == 2


def test_one_that_the_head_does_not_count_yet_is_waited_for(head, monkeypatch):
    monkeypatch.setattr(submissions, "_SETTLE", 1000.0)
    first, second = _start(head), _start(head, seeds=(1,))
    assert list(head.jobs) == [f"{first}.1"]
    monkeypatch.setattr(submissions, "_SETTLE", 0.0)
    table.tend()
    assert list(head.jobs) == [f"{first}.1", f"{second}.1"]


def test_a_job_of_this_machine_does_not_wait_for_one_of_a_cluster(head, monkeypatch):
    _start(head)
    monkeypatch.setattr(table, "_popen", lambda order, home: started.append(order.id))
    started: list[str] = []
    local = table.start(Order(model="pixel_attention", recipe="small", seeds=(1,)))
    assert started == [local]


def test_when_a_node_dies_it_is_submitted_again_under_a_new_name_and_goes_on(head):
    job = _start(head)
    _trained(more=1)
    head.end(f"{job}.1", "FAILED", NODE)
    head.nodes["a"]["CPU"] = (2.0, 2.0)
    table.tend()
    assert table.state(job).word == "waiting"
    head.nodes["a"]["CPU"] = (0.0, 2.0)
    table.tend()
    assert list(head.jobs) == [f"{job}.1", f"{job}.2"]
    assert table.state(job).word == "running"


def test_not_while_somebody_still_trains_the_run(head):
    job = _start(head)
    _trained(more=1)
    head.end(f"{job}.1", "FAILED", NODE)
    (run,) = table.runs_of(job)
    with FileLock(runs.folder() / run / "lock"):
        table.tend()
        assert list(head.jobs) == [f"{job}.1"]
        assert table.state(job).word == "running"
    table.tend()
    assert list(head.jobs) == [f"{job}.1", f"{job}.2"]


def test_a_head_that_has_forgotten_it_is_not_believed(head):
    job = _start(head)
    _trained(more=1)
    head.jobs.clear()  # the head was started again
    table.tend()
    assert list(head.jobs) == [f"{job}.2"]
    _trained()
    head.jobs.clear()
    table.tend()
    assert not head.jobs
    assert table.state(job).word == "finished"


def test_one_that_ends_without_a_word_is_tried_once_more(head):
    job = _start(head)
    for attempt in (1, 2):
        assert list(head.jobs)[-1] == f"{job}.{attempt}"
        head.end(f"{job}.{attempt}", "FAILED", OWN)
        table.tend()
    assert len(head.jobs) == 2
    assert table.state(job) == table.State(
        "interrupted", "It ended on the cluster without an error message, after 2 attempts. It can be resumed."
    )
    table.resume(job)
    assert list(head.jobs)[-1] == f"{job}.3"


def test_one_that_says_what_is_wrong_is_not_tried_again(head):
    job = _start(head)
    _say(job, "There is no data set of that name.\n")
    head.end(f"{job}.1", "FAILED", OWN)
    table.tend()
    assert len(head.jobs) == 1
    assert table.state(job) == table.State("failed", "There is no data set of that name.")


def test_one_whose_run_is_locked_comes_again(head):
    job = _start(head)
    for attempt in range(1, 5):
        _say(job, "Another process is training runs/x. Wait for it, or stop it.\n")
        head.end(f"{job}.{attempt}", "FAILED", OWN)
        table.tend()
    assert list(head.jobs)[-1] == f"{job}.5"


def test_nodes_that_die_for_ever_are_given_up(head, monkeypatch):
    monkeypatch.setattr(submissions, "LOST", 3)
    job = _start(head)
    for attempt in range(1, 5):
        head.end(f"{job}.{attempt}", "FAILED", NODE)
        table.tend()
    assert len(head.jobs) == 4
    assert table.state(job).word == "interrupted"


def test_a_stopped_job_is_not_submitted_again(head):
    job = _start(head)
    table.stop(job)
    assert head.stopped == [f"{job}.1"]
    head.end(f"{job}.1", "FAILED", NODE)
    table.tend()
    assert len(head.jobs) == 1
    assert table.state(job) == table.State("stopped", "It was stopped, and can be resumed.")
    table.delete(job)
    assert table.ids() == []
    again = _start(head)  # its names are not used a second time
    assert again == job
    assert list(head.jobs)[-1] == f"{job}.2"


def _stop_in_vain(head, job):
    """Ask a job to stop while the cluster does not answer; then let its node die."""
    (run,) = table.runs_of(job)
    head.status = 500
    with FileLock(runs.folder() / run / "lock"), pytest.raises(cluster.Unreachable):
        table.stop(job)
    head.status = 200
    cluster._silent.clear()
    head.end(f"{job}.1", "FAILED", NODE)
    table.tend()


def test_one_that_could_not_be_stopped_is_submitted_again_when_its_node_dies(head):
    job = _start(head)
    _trained(more=1)
    _stop_in_vain(head, job)
    assert list(head.jobs) == [f"{job}.1", f"{job}.2"]


def test_one_that_was_stopped_stays_so_when_it_is_asked_again_in_vain(head):
    job = _start(head)
    _trained(more=1)
    table.stop(job)
    _stop_in_vain(head, job)
    assert list(head.jobs) == [f"{job}.1"]
    assert table.state(job).word == "stopped"


def test_one_that_ray_says_runs_but_shows_no_sign_of_life_is_stopped_and_submitted_again(head, monkeypatch):
    job = _start(head)
    _trained(more=1)
    clock = count(0.0, 200.0)
    monkeypatch.setattr("attnviz.work.jobs.submissions.time.monotonic", lambda: next(clock))
    other = runs.folder() / "pixel_attention.other.0" / "status.json"
    other.parent.mkdir()
    for number in range(3):
        other.write_text(str(number))  # somebody trains something else
        table.tend()
    assert head.stopped == [f"{job}.1"]
    assert list(head.jobs) == [f"{job}.1", f"{job}.2"]


def test_a_cluster_that_does_not_answer_keeps_what_it_has(head):
    job = _start(head)
    head.status = 500
    table.tend()
    state = table.state(job)
    assert state.word == "running"
    assert state.sentence.endswith("answers 500. Internal Server Error. It may still be training.")
    waits = _start(head, seeds=(1,))
    assert table.state(waits).sentence.endswith("answers 500. Internal Server Error. It waits, at place 1 of 1.")
    table.stop(job)  # nobody trains it
    assert table.state(job).word == "stopped"


def test_a_gpu_is_asked_for_only_where_there_is_one(head, capsys):
    words = ["jobs", "start", "pixel_attention", "--recipe", "small", "--cluster", head.address]
    assert main([*words, "--device", "cuda"]) == 2
    assert "No node of the cluster has a GPU. Use --device cpu, or auto." in capsys.readouterr().err
    assert main(words) == 0
    head.nodes["b"] = {"CPU": (0.0, 4.0), "GPU": (0.0, 1.0)}
    assert main(words) == 0
    assert ["entrypoint_num_gpus" in sent for sent in head.jobs.values()] == [False, True]
    assert main([*words, "--device", "cpu", "--seeds", "1"]) == 0
    assert "entrypoint_num_gpus" not in [*head.jobs.values()][-1]


def test_the_app_hands_its_trainings_to_the_cluster_that_is_named(head, monkeypatch):
    asked = Order(model="pixel_attention", recipe="small")
    assert submissions.here(asked) is asked
    monkeypatch.setenv(cluster.PLACE, head.address)
    assert submissions.here(asked).cluster == head.address
    assert submissions.here(asked).id == asked.id
    monkeypatch.setenv(cluster.PLACE, "http://10.0.0.1:8265")
    with pytest.raises(BadInput, match="it needs a token"):
        submissions.here(asked)


def test_watching_ends_when_all_have_ended(head, capsys, monkeypatch):
    job = _start(head)
    looks = iter([lambda: head.end(f"{job}.1", "FAILED", NODE), _trained, lambda: head.end(f"{job}.2", "SUCCEEDED")])
    monkeypatch.setattr("attnviz.work.jobs.shell.time.sleep", lambda _: next(looks)())
    assert main(["jobs", "watch"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{job}: It is training on the cluster."
    assert told[-1] == f"{job}: It is finished."
    assert list(head.jobs) == [f"{job}.1", f"{job}.2"]


def test_a_node_trains_what_the_folder_says_and_says_there_how_it_went(head, monkeypatch):
    job = _start(head)
    _say(job, "what the attempt before it said\n")
    ran = []
    monkeypatch.setattr("os.execve", lambda path, words, environment: ran.append((path, words, environment)))
    monkeypatch.setattr("os.dup2", lambda *_: None)
    assert main(["jobs", "work", job]) == 0
    ((path, words, environment),) = ran
    assert words == table.read(job).words()
    assert path == words[0]
    assert "--threads" in words
    assert environment["OMP_NUM_THREADS"] == "1"
    assert (table.folder() / job / "log.txt").read_text() == ""
