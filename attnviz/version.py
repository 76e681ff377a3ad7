"""The version of attnviz, which exports, cards and the command line state."""

VERSION = "0.2.0"
