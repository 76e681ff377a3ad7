"""Processes that start in milliseconds: they are forked from a server that has imported and drawn what they need.

There is one server a process, and what it loads must be known before it starts, so it is said here for all tests.
"""

import multiprocessing

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.work.warm", "tests.training.killable"])
