#!/usr/bin/env bash
# A Postgres 18 with pgvector for the tests, without touching the system.
#
#   scripts/postgres.sh DIR PORT         start one on 127.0.0.1:PORT with its data in DIR/data; prints its URL
#   scripts/postgres.sh DIR PORT stop    stop it
#
# The programs come from Debian's packages, unpacked (not installed) once into .cache/postgres of the project, or
# $SCRIPTORIUM_CACHE/postgres. The mirror is the one that apt on this machine is configured for.
set -euo pipefail

MAJOR=18
SUITE=${SCRIPTORIUM_POSTGRES_SUITE:-forky} # the Debian release that carries Postgres 18 with pgvector

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

[ $# -ge 2 ] || fail 'Usage: scripts/postgres.sh DIR PORT [stop]'
mkdir -p "$1"
dir=$(cd "$1" && pwd)
port=$2
action=${3:-start}
data=$dir/data

# Postgres refuses to run as root, so root hands it to an unprivileged user that is there already.
user=
if [ "$(id -u)" = 0 ]; then
  for candidate in postgres nobody; do
    if id "$candidate" >/dev/null 2>&1; then user=$candidate && break; fi
  done
  [ -n "$user" ] || fail 'Postgres does not run as root and there is no user postgres or nobody: run this as another user.'
fi
unprivileged() { (cd / && if [ -n "$user" ]; then runuser -u "$user" -- "$@"; else "$@"; fi); }

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${SCRIPTORIUM_CACHE:-$project/.cache}/postgres
mkdir -p "$cache"
# A clone in root's home, say, is closed to that user.
unprivileged test -x "$cache" || { cache=${TMPDIR:-/tmp}/scriptorium-postgres && mkdir -p "$cache"; }
home=$cache/$SUITE-$MAJOR
bin=$home/usr/lib/postgresql/$MAJOR/bin

if [ "$action" = stop ]; then
  [ -f "$data/postmaster.pid" ] || exit 0
  unprivileged "$bin/pg_ctl" --pgdata "$data" --mode fast --wait --silent stop
  exit 0
fi

# Unpacks the packages into $1.
unpack() {
  local tree=$1 apt=$1.apt options mirror packages
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
    fail 'No apt here to fetch Postgres with: set TEST_DATABASE_URL to a Postgres 18 that has pgvector, and run again.'
  mirror=$(apt-get --print-uris update 2>/dev/null | sed -n "s|^'\(.*/debian\)/*/dists/.*|\1|p" | head -n 1)
  [ -n "$mirror" ] ||
    fail 'apt is configured for no Debian mirror: add one to its sources, or set TEST_DATABASE_URL to a Postgres 18 that has pgvector.'

  mkdir -p "$tree" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/none"
  : >"$apt/status"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$mirror" "$SUITE" >"$apt/sources.list"
  # apt with a state of its own: it knows one source, finds nothing installed, and writes nowhere else.
  options=(-qq -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
    -o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=$apt/none" -o "Dir::Etc::preferencesparts=$apt/none"
    -o APT::Sandbox::User=root -o Acquire::Retries=3 -o Acquire::Languages=none)
  apt-get "${options[@]}" update ||
    fail "The package lists of Debian $SUITE could not be fetched: see that this machine reaches its apt mirror, and run again."

  # The libraries they need, as the packages say it; maintainer scripts, and so shells and perl, are not.
  packages=$(apt-cache "${options[@]}" depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances "postgresql-$MAJOR" "postgresql-$MAJOR-pgvector" | grep -E "^(lib|zlib1g$|postgresql-(client-)?$MAJOR)" | grep -vE '^lib(perl|llvm|python)' | sort -u)
  # shellcheck disable=SC2086 # one word per package
  (cd "$apt/cache/archives" && apt-get "${options[@]}" download $packages) ||
    fail "The Postgres packages could not be fetched: see that this machine reaches its apt mirror, and run again."
  for deb in "$apt"/cache/archives/*.deb; do dpkg-deb --extract "$deb" "$tree"; done
}

# The packages' C library may be newer than the system's, so each program starts through the loader it came with.
wrap() {
  local tree=$1 target=$2 loader program name
  loader=$(cd "$tree" && find usr/lib -name 'ld-linux-*.so.*' | head -n 1)
  for program in "$tree/usr/lib/postgresql/$MAJOR/bin"/*; do
    name=$(basename "$program")
    [ "$(head -c 4 "$program" | tail -c 3)" = ELF ] || continue
    mv "$program" "$program.elf"
    printf '#!/bin/sh\nexec "%s" --library-path "%s" --argv0 "%s" "%s" "$@"\n' "$target/$loader" "$target/$(dirname "$loader")" \
      "$bin/$name" "$bin/$name.elf" >"$program"
    chmod 755 "$program"
  done
}

if [ ! -x "$bin/postgres" ]; then
  printf 'Fetching Postgres %s into %s (once).\n' "$MAJOR" "$cache" >&2
  next=$cache/unpacking-$$
  trap 'rm -rf "$next" "$next.apt"' EXIT
  unpack "$next"
  wrap "$next" "$home"
  chmod -R go+rX "$next"
  # Whoever unpacked at the same time and was first, wins.
  mv -T "$next" "$home" 2>/dev/null || [ -x "$bin/postgres" ] || fail "$home is in the way: remove it, and run again."
fi

mkdir -p "$data"
[ -z "$user" ] || chown "$user" "$dir" "$data"
if [ ! -f "$data/PG_VERSION" ]; then
  unprivileged "$bin/initdb" --pgdata "$data" --username postgres --auth trust --no-locale --encoding UTF8 >"$dir/initdb.log" 2>&1 ||
    fail "The database folder could not be made: $(tail -n 3 "$dir/initdb.log")"
fi
TZ=UTC unprivileged "$bin/pg_ctl" --pgdata "$data" --log "$data/server.log" --wait --silent \
  --options "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start >"$dir/pg_ctl.log" 2>&1 ||
  fail "Postgres did not start on port $port: $(tail -n 3 "$data/server.log")"
printf 'postgres://postgres@127.0.0.1:%s/postgres\n' "$port"
