#!/usr/bin/env bash
# Builds the action's image: `scripts/image.sh base` makes a Debian to build on where no registry can be reached,
# `scripts/image.sh build TAG [BASE]` the image itself (on that Debian if BASE is `local`, or if the Dockerfile's own
# base can't be pulled), `scripts/image.sh buildah …` runs buildah on the same store.
#
# The store lies in the user's cache folder, apart from other images. buildah needs no daemon, and chroot works inside a
# container too; where the kernel mounts no overlay there, vfs does, which copies whole folders and takes minutes.
set -euo pipefail

cache="${RECON_IMAGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/recon-action/image}"
local_base=localhost/recon-action-base:bookworm
local_tools=
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

store() {
  BUILDAH_ISOLATION=chroot command buildah --storage-driver "$(driver)" --root "$cache/$(driver)" --runroot "$cache/run" \
    "$@"
}

driver() {
  if [[ ! -s "$cache/driver" ]]; then
    local lower upper work merged probe
    probe="$(mktemp -d "$cache/probe.XXXXXX")"
    lower="$probe/lower" upper="$probe/upper" work="$probe/work" merged="$probe/merged"
    mkdir "$lower" "$upper" "$work" "$merged"
    if mount -t overlay overlay -o "lowerdir=$lower,upperdir=$upper,workdir=$work" "$merged" 2>/dev/null; then
      umount "$merged"
      echo overlay >"$cache/driver"
    else
      echo vfs >"$cache/driver"
    fi
    rm -rf "$probe"
  fi
  cat "$cache/driver"
}

base() {
  if store inspect --type image "$local_base" >/dev/null 2>&1; then
    echo "$local_base: cached in $cache" >&2
    return
  fi
  echo "$local_base: a minimal Debian 12 with its Python, about a minute" >&2
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

# An image of the host's own kustomize, helm and sops: where no registry is, there is no image of Go to build them in.
tools() {
  local container path paths
  mapfile -t paths < <("$root/.venv/bin/recon-action" tools install | cut -f2)
  test "${#paths[@]}" = 3
  local_tools="localhost/recon-action-tools:$(cat "${paths[@]}" | sha256sum | cut -c1-16)"
  if store inspect --type image "$local_tools" >/dev/null 2>&1; then
    return
  fi
  container="$(store from scratch)"
  for path in "${paths[@]}"; do
    store add --quiet --chmod 0755 "$container" "$path" "/tools/${path##*/}" >/dev/null
  done
  store commit --quiet --rm "$container" "$local_tools" >/dev/null
}

build() {
  local tag="$1" from="${2:-}" default with=()
  default="$(sed -n 's/^ARG BASE=//p' "$root/Dockerfile")"
  if [[ -z "$from" ]] && ! timeout 300 "$0" buildah pull --quiet "$default" >/dev/null 2>"$cache/pull.log"; then
    echo "$default can't be pulled ($(tail -n 1 "$cache/pull.log")); building on a Debian of our own" >&2
    from=local
  fi
  if [[ "$from" == local ]]; then
    base
    tools
    from="$local_base"
    with=(--build-arg "TOOLS=$local_tools")
  fi
  # Cached layer by layer where layers are cheap. The cache goes when it has grown: buildah can't tell its stale part.
  store bud "--layers=$([[ "$(driver)" == overlay ]] && echo true || echo false)" ${from:+--build-arg "BASE=$from"} "${with[@]}" --tag "$tag" "$root"
  if (($(du -sm "$cache/$(driver)" | cut -f1) > 4000)); then
    store rmi --prune >/dev/null
  fi
}

for program in buildah debootstrap; do
  command -v "$program" >/dev/null || { echo "$program is missing: apt-get install buildah debootstrap" >&2; exit 2; }
done
mkdir -p "$cache"
command="${1:-}"
shift || true
case "$command" in
  base) base ;;
  build) build "$@" ;;
  buildah) store "$@" ;;
  *)
    sed -n '2,4p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
