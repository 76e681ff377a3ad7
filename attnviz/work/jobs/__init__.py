"""Trainings as jobs: processes of their own, each with a folder that is the truth about it.

    runs/.jobs/ID/   order.json (what was asked for)   process.json (who trains it)   log.txt (what that process said)
                     stopped (empty, once somebody has stopped it)
    runs/.jobs/queue/NUMBER.ID                         an empty file for each that waits, in the order of the numbers

A job is the command `python -m attnviz train ... --run-only`; what it learns lies in its runs. No process watches over
the jobs: whoever looks, in the app or on the command line, starts the next that waits, and a file lock makes sure that
only one does.
"""
