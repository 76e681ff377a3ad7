"""Jobs from a shell: `python -m attnviz jobs ACTION`."""

import argparse
import os
import sys
import time
from collections.abc import Iterator

from attnviz import files, listings
from attnviz.errors import RunError
from attnviz.recipes.altered import settings
from attnviz.work import processes
from attnviz.work.jobs import cluster, order, submissions, table

_LOOK = 1.0  # seconds between two checks of all jobs


def act(options: argparse.Namespace) -> Iterator[str]:
    """Run an action, and yield lines that report what was done."""
    if options.action == "work":
        work(options.job)
        return
    if options.action in ("push", "pull"):
        from attnviz.work import remote

        if options.action == "push":
            yield f"{options.name} is in {remote.push(options.name, options.url)}."
        else:
            yield f"{options.url} is here as {remote.pull(options.url, options.word)}."
        return
    table.tend()
    if options.action == "list":
        empty = "There are no jobs: `attnviz jobs start MODEL --recipe RECIPE` starts one."
        yield from listings.lines(listings.jobs(), options.json, 40, empty)
    elif options.action == "watch":
        yield from watch()
    elif options.action == "start":
        job = table.start(ordered(options), order.NONE if options.no_limits else None)
        yield f"{job}: {table.state(job).sentence}"
    elif options.action == "keep":
        from attnviz.work.jobs import keeping  # imports torch

        yield f"Kept as {keeping.keep(options.run_id, options.epoch, options.word)}."
    else:
        if options.action == "resume":
            most = order.NONE if options.no_limits else None
            table.resume(options.job, most, minutes=options.minutes)
        else:
            {"stop": table.stop, "delete": table.delete}[options.action](options.job)
        left = table.state(options.job) if options.job in table.ids() else None
        stops = options.action == "stop" and left is not None and left.word == "running"
        yield f"{options.job}: {'It was asked to stop.' if stops else left.sentence if left else 'It is deleted.'}"


def ordered(options: argparse.Namespace) -> order.Order:
    """Return the order given on the command line."""
    from attnviz import devices

    at = None if options.cluster is None else cluster.address(options.cluster)
    device = devices.device_of(options.device) if at is None else submissions.device(options.device, at)
    return order.Order.read(
        {
            "model": options.model, "recipe": options.recipe, "changes": settings(options.set),
            "seeds": tuple(options.seeds), "device": device, "threads": options.threads or 1,
            "minutes": options.minutes, "cluster": at,
        }
    )  # fmt: skip


def watch() -> Iterator[str]:
    """Start waiting jobs, and resubmit those lost with a node, until no job is left; yield a line at every change."""
    told: dict[str, str] = {}
    while True:
        table.tend()
        states = {job: table.state(job) for job in table.ids()}
        for job, state in states.items():
            if told.get(job) != state.sentence:
                yield f"{job}: {state.sentence}"
                told[job] = state.sentence
        if not any(state.word in ("running", "waiting") for state in states.values()):
            return
        time.sleep(_LOOK)


def work(job: str) -> None:
    """Run the training of a job in this process, on a node of a cluster, with its output in the job's folder.
    UnknownName, RunError: the node has other folders.
    """
    asked = table.read(job)
    try:
        log = files.opened(table.folder() / job / "log.txt", "wb")
    except OSError as error:
        raise RunError(f"The folder of the job {job} cannot be written: {files.reason(error)}.") from error
    sys.stdout.flush()
    with log:
        for descriptor in (1, 2):
            os.dup2(log.fileno(), descriptor)
    words = asked.words()
    os.execve(words[0], words, processes.environment(asked.threads))
