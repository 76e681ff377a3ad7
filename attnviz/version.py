"""The version of attnviz, which is recorded in exports and cards and printed by the command line."""

VERSION = "0.2.0"
