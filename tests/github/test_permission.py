"""Who somebody is to the repository, by GitHub's word."""

import pytest
from fake_github import FakeGitHub, Fault

from recon_action.github.client import Client
from recon_action.github.denied import Denied
from recon_action.github.permission import Level, level_of


@pytest.mark.parametrize("role", ["none", "read", "triage", "write", "maintain", "admin"])
def test_roles(fake: FakeGitHub, client: Client, role: str) -> None:
    """Each role is one, though GitHub's older field knows only some of them."""
    fake.state.collaborators["octocat"] = role
    assert level_of(client, "octocat") is Level[role.upper()]


@pytest.mark.parametrize(
    ("permission", "role", "level"),
    [
        ("write", "deployer", Level.WRITE),
        ("read", "admin", Level.READ),
        ("write", "Admin", Level.WRITE),
        ("admin", None, Level.ADMIN),
    ],
)
def test_roles_of_an_organisation(
    fake: FakeGitHub, client: Client, permission: str, role: str | None, level: Level
) -> None:
    """A role of its own counts as what it is based on; one that contradicts its base counts for nothing."""
    fake.faults.append(Fault(status=200, body={"permission": permission, "role_name": role}))
    assert level_of(client, "octocat") is level


def test_a_stranger(fake: FakeGitHub, client: Client) -> None:
    """Of whom GitHub knows nothing here, may nothing."""
    assert level_of(client, "mallory") is Level.NONE


def test_names_are_no_paths(fake: FakeGitHub, client: Client) -> None:
    """A login goes into the address as one part of it."""
    fake.state.collaborators["mallory"] = "admin"
    assert level_of(client, "x/../mallory") is Level.NONE


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=403, message="Must have push access to view collaborator permission."),
        Fault(status=502, times=9),
        Fault(status=200, body={"role_name": "admin"}),
        Fault(status=200, body={"permission": "owner", "role_name": "admin"}),
        Fault(status=200, body=["admin"]),
    ],
    ids=["forbidden", "broken", "without", "unknown", "shape"],
)
def test_what_is_not_known(fake: FakeGitHub, client: Client, fault: Fault) -> None:
    """No answer, or one of another shape, is no permission."""
    fake.faults.append(fault)
    with pytest.raises(Denied):
        level_of(client, "octocat")
