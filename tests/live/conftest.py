"""Real control planes for the tests of this folder: `support/labs.py` has them."""

from labs import (
    binaries,
    controllers_lab,
    controllers_namespace,
    kubectl,
    lab,
    namespace,
    own_lab,
    pytest_collection_finish,
)

__all__ = [
    "binaries",
    "controllers_lab",
    "controllers_namespace",
    "kubectl",
    "lab",
    "namespace",
    "own_lab",
    "pytest_collection_finish",
]
