"""Work that visitors wait for: who computes next, and what is kept of it."""
