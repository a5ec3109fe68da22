"""How it was learnt what an apply would do."""

from enum import StrEnum


class Check(StrEnum):
    """Who has looked at an object before anything is done to it."""

    SERVER = "server"  # in its own place, as an apply would, or there was no need to
    STAND_IN = "stand-in"  # the server, in another namespace, as the object's own comes with the same set
    SCHEMA = "schema"  # we, by the schema that its CRD has in Git
    NONE = "none"  # nobody could
