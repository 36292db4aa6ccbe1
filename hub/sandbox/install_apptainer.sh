#!/bin/bash
# Install Apptainer (and what a rootless sandbox needs beside it) on Debian 12 or 13, amd64.
#
#   sudo bash install_apptainer.sh
#
# Debian ships Apptainer in unstable only. On Debian 13 that package installs as it is, so it is
# pinned alone. On Debian 12 its one unmet need is a newer libc: the package is rebuilt here with
# a private copy of Debian 13's libc beside the two programs that want it, under a version of our
# own, so that the system's libc stays and `apt remove apptainer` takes everything away again.
# Safe to run twice.
set -euo pipefail

companions=(bubblewrap mmdebstrap squashfuse fuse3 fuse-overlayfs squashfs-tools uidmap)
sandbox_user=hub-sandbox

die() { echo "install_apptainer: $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || die "needs root (found uid $(id -u)); run it with sudo"
[ "$(dpkg --print-architecture)" = amd64 ] || die "knows amd64 only, this is $(dpkg --print-architecture); install apptainer with your package manager"
. /etc/os-release
case "${ID:-}:${VERSION_ID:-}" in
  debian:12 | debian:13) ;;
  *) die "knows Debian 12 and 13, this is ${PRETTY_NAME:-unknown}; install apptainer with your package manager" ;;
esac

# The mirror that the machine already uses, in either format of apt's source lists.
mirror() {
  awk '/^URIs:/ {print $2; exit}' /etc/apt/sources.list.d/debian.sources 2>/dev/null | grep . ||
    awk '$1 == "deb" {for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) {print $i; exit}}' /etc/apt/sources.list
}

# One stanza of sources for the suites named.
sources() {
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nArchitectures: amd64\nSigned-By: %s\n' \
    "$MIRROR" "$1" /usr/share/keyrings/debian-archive-keyring.gpg
}

install() { apt-get install -y -q --no-install-recommends "$@"; }

install_pinned() { # Debian 13
  sources sid > /etc/apt/sources.list.d/hub-unstable.sources
  cat > /etc/apt/preferences.d/hub-unstable <<PIN
Package: *
Pin: release n=sid
Pin-Priority: -10

Package: apptainer
Pin: release n=sid
Pin-Priority: 500
PIN
  apt-get update -q
  install apptainer
}

# Fetch apptainer and Debian 13's libc through a throw-away apt root: the machine's own lists
# never learn of another suite.
fetch_foreign() {
  mkdir -p apt/etc/{apt.conf.d,preferences.d,sources.list.d} apt/lists/partial apt/cache/archives/partial
  cp -a /etc/apt/apt.conf.d/. apt/etc/apt.conf.d/ 2>/dev/null || true
  cp -a /etc/apt/auth.conf.d apt/etc/ 2>/dev/null || true
  sources "sid trixie" > apt/etc/sources.list.d/foreign.sources
  local options=(-q -o "Dir::Etc=$PWD/apt/etc" -o "Dir::State::lists=$PWD/apt/lists"
    -o "Dir::Cache=$PWD/apt/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none)
  apt-get "${options[@]}" update
  apt-get "${options[@]}" download apptainer/sid libc6/trixie
}

install_repacked() { # Debian 12
  install patchelf dpkg-dev
  local private lib program
  work=$(mktemp -d) # not local: the trap runs after this function has returned
  trap 'rm -rf "$work"' EXIT
  cd "$work"
  fetch_foreign
  dpkg-deb -R apptainer_*.deb tree
  dpkg-deb -x libc6_*.deb libc
  private=usr/lib/x86_64-linux-gnu/apptainer/glibc
  mkdir -p "tree/$private"
  for lib in ld-linux-x86-64.so.2 libc.so.6 libm.so.6 libresolv.so.2 libnss_dns.so.2 libnss_files.so.2; do
    cp -L "libc/usr/lib/x86_64-linux-gnu/$lib" "tree/$private/"
  done
  cp libc/usr/share/doc/libc6/copyright "tree/$private/copyright.libc6"
  for program in usr/bin/apptainer usr/lib/x86_64-linux-gnu/apptainer/bin/starter; do
    patchelf --set-interpreter "/$private/ld-linux-x86-64.so.2" --force-rpath --set-rpath "/$private" "tree/$program"
  done
  sed -i -E -e 's/^(Version: .*)$/\1~hub12+1/' -e 's/libc6 \(>= 2\.38\)/libc6 (>= 2.36)/' tree/DEBIAN/control
  (cd tree && find usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
  mkdir out && dpkg-deb --root-owner-group -Zzstd -z3 -b tree out > /dev/null
  chmod 755 "$work" out
  install ./out/apptainer_*.deb
}

MIRROR=$(mirror) || die "no Debian mirror in /etc/apt/sources.list.d/debian.sources or /etc/apt/sources.list"
export DEBIAN_FRONTEND=noninteractive
if ! command -v apptainer > /dev/null; then
  if [ "$VERSION_ID" = 12 ]; then
    apt-get update -q
    (install_repacked)
  else
    install_pinned
  fi
fi
install "${companions[@]}"

# A server that runs as root drops to this user before it starts a sandbox; the subordinate ids
# let it build images with --fakeroot.
if ! getent passwd "$sandbox_user" > /dev/null; then
  useradd --system --create-home --home-dir /var/lib/hub-sandbox --shell /usr/sbin/nologin "$sandbox_user"
fi
if ! grep -qs "^$sandbox_user:" /etc/subuid; then
  usermod --add-subuids 1000000-1065535 --add-subgids 1000000-1065535 "$sandbox_user"
fi
# Without udev the device stays root-only, and nobody else can mount a .sif.
if [ -c /dev/fuse ]; then chmod 0666 /dev/fuse; fi
apptainer --version
