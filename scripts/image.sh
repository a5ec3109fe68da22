#!/usr/bin/env bash
# Builds the action's image: `scripts/image.sh base` makes a Debian to build on where no registry can be reached,
# `scripts/image.sh build TAG [BASE]` the image itself, `scripts/image.sh buildah …` runs buildah on the same store.
#
# The store lies in the user's cache folder, apart from other images, and buildah needs no daemon and no privileges
# beyond root's own: vfs and chroot work inside a container too.
set -euo pipefail

cache="${RECON_IMAGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/recon-action/image}"
local_base=localhost/recon-action-base:bookworm
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

store() {
  BUILDAH_ISOLATION=chroot command buildah --storage-driver vfs --root "$cache/store" --runroot "$cache/run" "$@"
}

base() {
  if store inspect --type image "$local_base" >/dev/null 2>&1; then
    echo "$local_base: cached in $cache" >&2
    return
  fi
  echo "$local_base: a minimal Debian 12 with its Python, about a minute" >&2
  mkdir -p "$cache"
  local rootfs mirror container
  rootfs="$(mktemp -d "$cache/rootfs.XXXXXX")"
  # shellcheck disable=SC2064  # the folder of now, not of then
  trap "rm -rf '$rootfs'" EXIT
  mirror="$(awk '/^URIs:/{print $2; exit}' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)"
  debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$rootfs" \
    ${mirror:+"$mirror"} >"$cache/debootstrap.log" 2>&1 ||
    { tail -n 20 "$cache/debootstrap.log" >&2; return 1; }
  # Where the network is behind a proxy with its own CA, the build needs the host's trust.
  cp /etc/ssl/certs/ca-certificates.crt "$rootfs/etc/ssl/certs/"
  rm -rf "$rootfs"/var/cache/apt/archives/*.deb "$rootfs"/var/lib/apt/lists/*
  container="$(store from scratch)"
  store add --quiet "$container" "$rootfs" / >/dev/null
  store config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  store commit --quiet --rm "$container" "$local_base" >/dev/null
}

build() {
  local tag="$1" from="${2:-}"
  if [[ "$from" == local ]]; then
    base
    from="$local_base"
  fi
  # Cached layer by layer; those that a rebuild left behind go, or the store would grow without bound.
  store bud --layers ${from:+--build-arg "BASE=$from"} --tag "$tag" "$root"
  store rmi --prune >/dev/null 2>&1 || true
}

command="${1:-}"
shift || true
case "$command" in
  base) base ;;
  build) build "$@" ;;
  buildah) store "$@" ;;
  *)
    sed -n '2,3p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
