# shellcheck shell=bash
# Sourced by examples/demo.sh and tests/run.sh.

# need_packages NAME...: installs the missing ones of those Debian or Ubuntu packages, and names them. If it cannot, it
# prints the cure and ends the script.
need_packages() {
  if ! command -v apt-get >/dev/null; then
    echo "There is no apt-get here. Install what these Debian packages hold, then run this again with --no-install:" >&2
    echo "  $*" >&2
    exit 1
  fi
  local name missing=()
  for name; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$name")
  done
  if [[ ${#missing[@]} -eq 0 ]]; then return; fi

  local by_hand="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" sudo=()
  if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      printf 'Packages are missing, and this is neither root nor a user with sudo. As root, run:\n  %s\n' "$by_hand" >&2
      exit 1
    fi
    sudo=(sudo)
  fi
  echo "Installing: ${missing[*]}"
  # The locale and time zone questions of some packages would wait for an answer; another apt may hold the lock.
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120) attempt
  for attempt in 1 2 3; do
    "${apt[@]}" update || echo "apt-get update failed; trying with the lists that are here" >&2
    if "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; then return; fi
    if [[ $attempt -lt 3 ]]; then
      echo "apt-get failed; trying again in 10 seconds" >&2
      sleep 10
    fi
  done
  printf 'apt-get could not install them. When it can, run this again, or as root:\n  %s\n' "$by_hand" >&2
  exit 1
}

# has_package NAME: whether apt's lists, as need_packages left them, have it.
has_package() { apt-cache show "$1" >/dev/null 2>&1; }
