"""Trainings as jobs: separate processes, each with a folder that holds its whole state.

    runs/.jobs/ID/   order.json (the request)   process.json (the training process)   log.txt (its output)
                     stopped (empty, once it has been stopped)
    runs/.jobs/queue/NUMBER.ID                         an empty file for each waiting job, in the order of the numbers

A job is the command `python -m attnviz train ... --run-only`; its results are in its runs. No process supervises the
jobs: each look at them, in the app or on the command line, starts the next waiting job, and a file lock ensures that
only one process does so.
"""
