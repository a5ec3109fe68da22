#!/usr/bin/env bash
# Builds the wheel and runs the unit tests on it, the checkout's own package out of reach: what is published is what is
# tested.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
pip=("$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check)
"${pip[@]}" --require-hashes -r "$root/requirements/dev.txt"
"$work/venv/bin/python" -m build --no-isolation --outdir "$work/dist" "$root"
"${pip[@]}" --no-deps --no-index "$work"/dist/*.whl
# All of the checkout but the package.
tar -C "$root" --exclude=./recon_action --exclude=./.venv --exclude=./.git -cf - . | tar -C "$work" -xf - --one-top-level=checkout
cd "$work/checkout"
"$work/venv/bin/recon-action" --version
"$work/venv/bin/python" -P -m pytest -q tests --ignore=tests/live
