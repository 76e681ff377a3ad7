"""How many threads torch computes with: one for whatever visitors ask, all of them for a training.

Visitors compute side by side, each on one core: the parts of a small model would wait for one another, and for the
browser on the same machine, longer than they take. A training has the machine for itself, in a process of its own.
"""

import os

VARIABLE = "OMP_NUM_THREADS"
_OURS = "ATTNVIZ_ONE_THREAD"  # in the environment: the limit is of this module, and nobody has asked for it


def one_each() -> None:
    """Let torch, which reads the limit when it is loaded, use one thread; the environment can set another number."""
    if VARIABLE not in os.environ:
        os.environ.update({VARIABLE: "1", _OURS: "1"})


def free_ones() -> None:
    """Let torch use the cores that are free, in this thread: for a model of somebody's own, which is large and runs
    alone. Threads that wait for one another on a busy machine take several times as long as one."""
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
