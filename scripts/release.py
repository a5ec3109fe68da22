"""What a release does to the repository: `python scripts/release.py`.

- `check VERSION` refuses a version that is not the package's, or that the changelog does not know.
- `notes VERSION` prints what the changelog says of it.
- `tag VERSION IMAGE` commits action.yml with the image in place of the Dockerfile, on top of what is checked out,
  pushes that as `vVERSION`, and moves the major version's tag to it.

The standard library is enough: it runs beside credentials, where nothing is installed. Why there are two tags:
docs/decisions/0019-two-tags.md.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r"(?P<numbers>(0|[1-9]\d*)(\.(0|[1-9]\d*)){2})(?P<candidate>rc[1-9]\d*)?")
IMAGE = re.compile(r"ghcr\.io(/[a-z0-9]+([._-][a-z0-9]+)*){2}@sha256:[0-9a-f]{64}")
DOCKERFILE = "\n  image: Dockerfile\n"
ROBOT = {"NAME": "github-actions[bot]", "EMAIL": "41898282+github-actions[bot]@users.noreply.github.com"}


def checked(root: Path, version: str) -> str:
    """What the changelog says of `version`.

    Raises:
        ValueError: it is no version, not the package's, or not in the changelog.
    """
    if not VERSION.fullmatch(version):
        raise ValueError(f"{version!r} is no version: 1.2.3, or 1.2.3rc1")
    package = re.search(r'^__version__ = "(.*)"$', (root / "recon_action" / "__init__.py").read_text(), re.MULTILINE)
    if package is None or package[1] != version:
        raise ValueError(f"the package is of version {package[1] if package else 'none'}, and not {version}")
    section = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d{{2}}-\d{{2}}\n(.*?)(?=^## |\Z)"
    found = re.search(section, (root / "CHANGELOG.md").read_text(), re.MULTILINE | re.DOTALL)
    if found is None or not found[1].strip():
        raise ValueError(f"CHANGELOG.md has no section '## [{version}] - YYYY-MM-DD' that says anything")
    return found[1].strip()


def pinned(action: str, image: str) -> str:
    """The text of action.yml, with `image` in place of the Dockerfile and every other byte as it was.

    Args:
        action: the text.
        image: `ghcr.io/OWNER/NAME@sha256:DIGEST`; a tag is refused, as it may be moved.

    Raises:
        ValueError: `image` is no such thing, or the text does not build a Dockerfile exactly once.
    """
    if not IMAGE.fullmatch(image):
        raise ValueError(f"{image!r} is no image by digest: ghcr.io/OWNER/NAME@sha256:…, all in lower case")
    if action.count(DOCKERFILE) != 1:
        raise ValueError(
            f"action.yml has the line {DOCKERFILE.strip()!r} {action.count(DOCKERFILE)} times, and not once"
        )
    return action.replace(DOCKERFILE, f"\n  image: docker://{image}\n")


def tag(root: Path, version: str, image: str) -> str:
    """Commit the pinned action.yml and push it as `vVERSION`; the commit.

    The same checkout and image make the same commit, so a run that is repeated changes nothing, and anybody can make it
    again to compare. `vVERSION` is never moved: git refuses that. The major version's tag moves, but for a candidate,
    or a version older than one that is there.

    Raises:
        ValueError: as `checked` and `pinned`.
        CalledProcessError: git can't.
    """
    checked(root, version)
    action = root / "action.yml"
    action.write_bytes(pinned(action.read_bytes().decode(), image).encode())
    robot = {**ROBOT, "DATE": git(root, "log", "-1", "--format=%cI")}
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in robot.items()}
    options = ("--quiet", "--no-verify", "--no-gpg-sign", f"--message=Release {version}")
    git(root, "commit", *options, "--", "action.yml", more=who)
    refs = [f"HEAD:refs/tags/v{version}"]
    if moves_major(version, released(root)):
        refs.append(f"+HEAD:refs/tags/v{version.partition('.')[0]}")
    git(root, "push", "--quiet", "--atomic", "origin", *refs)
    return git(root, "rev-parse", "HEAD")


def moves_major(version: str, known: list[str]) -> bool:
    """Whether the major version's tag is to name `version`, given those that are out."""
    if "rc" in version:
        return False
    numbers = [int(part) for part in version.split(".")]
    others = ([int(part) for part in other.split(".")] for other in known)
    return all(other <= numbers for other in others if other[0] == numbers[0])


def released(root: Path) -> list[str]:
    """The versions that are out, candidates left out."""
    names = (line.rpartition("refs/tags/v")[2] for line in git(root, "ls-remote", "--tags", "origin").splitlines())
    matches = (VERSION.fullmatch(name) for name in names)
    return [match["numbers"] for match in matches if match and not match["candidate"]]


def git(root: Path, *arguments: str, more: Mapping[str, str] | None = None) -> str:
    """What git says."""
    environment = {**os.environ, **(more or {})}
    done = subprocess.run(
        ["git", "-C", root, *arguments], check=True, stdout=subprocess.PIPE, text=True, env=environment
    )
    return done.stdout.strip()


def main(root: Path = ROOT) -> int:
    """Do what the command line says."""
    try:
        match sys.argv[1:]:
            case ["check", version]:
                checked(root, version)
            case ["notes", version]:
                print(checked(root, version))
            case ["tag", version, image]:
                print(f"v{version} is {tag(root, version, image)}")
            case _:
                print((__doc__ or "").partition("\n")[0], file=sys.stderr)
                return 2
    except (ValueError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
