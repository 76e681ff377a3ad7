"""Searches: many trainings with different settings, by one or more processes; each search has a folder.

    runs/.searches/ID/   search.json (the request)   journal.jsonl (Optuna's: all trials)   log.txt
                         workers/ (those at work)   stopped (empty, once it has been stopped)

A trial is a run like any other, so that it can be viewed. A worker takes one trial after the other; everything that
must not happen twice is done under one lock, the gate. Only users of Optuna import it (extra `search`).
"""
