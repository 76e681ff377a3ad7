"""The number of threads that torch uses: one for visitors' requests, all of them for a training.

Requests run in parallel, each on one core: the threads of a small model would spend longer waiting for one another, and
for a browser on the same machine, than computing. A training runs in its own process, with the machine to itself.
"""

import os

VARIABLE = "OMP_NUM_THREADS"
_OURS = "ATTNVIZ_ONE_THREAD"  # environment variable: this module set the limit, not the user


def one_each() -> None:
    """Limit torch, which reads the limit when it is imported, to one thread; the environment can set another number."""
    if VARIABLE not in os.environ:
        os.environ.update({VARIABLE: "1", _OURS: "1"})


def free_ones() -> None:
    """Let torch use the free cores, in this thread, for a visitor's own model, which is large and runs alone."""
    if os.environ.get(_OURS):
        import torch

        cores = os.cpu_count() or 1
        busy = round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 0
        torch.set_num_threads(max(1, cores - busy))


def environment() -> dict[str, str]:
    """Return the environment for a process that may use the whole machine: a training that the app starts."""
    found = dict(os.environ)
    if found.pop(_OURS, None):
        found.pop(VARIABLE, None)
    return found
