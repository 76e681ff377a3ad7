"""Searches: the same training many times with other settings, by one or more processes, each search with a folder.

    runs/.searches/ID/   search.json (what is searched)   journal.jsonl (Optuna's: all trials)   log.txt
                         workers/ (who is at work)   stopped (empty, once somebody has stopped it)

A trial is a run like any other, so that it can be looked at. A worker takes one trial after the other; all that must
not happen twice is done behind one lock, the gate. Only what names Optuna imports it: the extra `search`.
"""
