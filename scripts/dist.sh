#!/usr/bin/env bash
# Makes what is published of a checkout: sdist, wheel, the wheel's bill of materials (CycloneDX), and SHA256SUMS.
#   scripts/dist.sh FOLDER
# All that it runs is locked by hash, and the same commit gives the same bytes.
set -euo pipefail

folder="${1:?usage: $0 FOLDER}"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
SOURCE_DATE_EPOCH="$(git -C "$root" log -1 --format=%ct)"
export SOURCE_DATE_EPOCH

# The tools and the program's own packages stay apart: the bill lists the second folder alone.
python3 -m venv "$work/tools"
python3 -m venv --without-pip "$work/program"
pip=("$work/tools/bin/python" -m pip --disable-pip-version-check)
install=(install --quiet --no-compile)
"${pip[@]}" "${install[@]}" --require-hashes -r "$root/requirements/build.txt" -r "$root/requirements/release.txt"
"${pip[@]}" --python "$work/program/bin/python" "${install[@]}" --require-hashes -r "$root/requirements/runtime.txt"

"$work/tools/bin/python" -m build --no-isolation --outdir "$folder" "$root"
"${pip[@]}" --python "$work/program/bin/python" "${install[@]}" --no-index --no-deps "$folder"/*.whl
wheel="$(basename "$folder"/*.whl)"
version="${wheel#recon_action-}" version="${version%%-*}"
sed "s/^dynamic = .*/version = \"$version\"/" "$root/pyproject.toml" >"$work/pyproject.toml"
"$work/tools/bin/cyclonedx-py" environment --pyproject "$work/pyproject.toml" --output-reproducible \
  --output-file "$folder/${wheel%.whl}.cdx.json" "$work/program"
cd "$folder"
sha256sum -- *.tar.gz *.whl *.cdx.json >SHA256SUMS
