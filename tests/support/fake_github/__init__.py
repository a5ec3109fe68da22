"""A fake GitHub over HTTP on 127.0.0.1: it keeps what it is told, and holds both sides to GitHub's own description."""

from fake_github.server import FakeGitHub, Fault, fake_github
from fake_github.state import BOT, Check, Comment, Issue, Pull, State

__all__ = ["BOT", "Check", "Comment", "FakeGitHub", "Fault", "Issue", "Pull", "State", "fake_github"]
