"""Control planes of a test's own, to be ill-treated: `support/labs.py` has them."""

from labs import binaries, own_lab, pytest_collection_finish

__all__ = ["binaries", "own_lab", "pytest_collection_finish"]
