"""Trainings as jobs: separate processes, each with a folder that holds its whole state.

    runs/.jobs/ID/   order.json (what was asked for)   process.json (who trains it)   log.txt (what that process said)
                     stopped (empty, once somebody has stopped it)
    runs/.jobs/queue/NUMBER.ID                         an empty file for each that waits, in the order of the numbers

A job is the command `python -m attnviz train ... --run-only`; its results are in its runs. No process supervises the
jobs: each look at them, in the app or on the command line, starts the next waiting job, and a file lock ensures that
only one process does so.
"""
