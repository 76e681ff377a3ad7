"""Work that visitors wait for: its queue, the cache of its results, jobs and searches."""
