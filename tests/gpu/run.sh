#!/usr/bin/env bash
# Builds what wants a device for the GPU that is here, runs every suite on it, then each under compute-sanitizer, and
# writes docs/gpu/<date>-<gpu>.md: the machine, the commands and all that they said.
#   tests/gpu/run.sh [--build-only]
# Libraries come from the folder .deps where there is one (tests/gpu/collect-deps makes it), else from the system.
# Without a GPU it ends with status 1 at once; --build-only builds all the same, for sm_90 then, and stops.
set -euo pipefail
CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")/../.."

build_only=no
for option; do
  case $option in
    --build-only) build_only=yes ;;
    *) sed -n '2,6s/^# *//p' tests/gpu/run.sh >&2; exit 2 ;;
  esac
done

ask_gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null || true; }
gpu=$(ask_gpu name | head -n 1)
architectures=$(ask_gpu compute_cap | tr -d . | sort -u | paste -sd ';')
if [[ -z $gpu && $build_only == no ]]; then
  echo "There is no GPU (nvidia-smi shows none): nothing was built and nothing was run" >&2
  exit 1
fi

build=build/gpu
configure=(cmake -S . -B "$build" -D CMAKE_BUILD_TYPE=Release -D TESSERA_CUDA=ON -D TESSERA_BUILD_EXAMPLES=OFF
  -D CMAKE_CUDA_ARCHITECTURES="${architectures:-90}")
if command -v ninja >/dev/null; then configure+=(-G Ninja); fi
if [[ -d .deps/root/usr ]]; then
  usr=$PWD/.deps/root/usr
  configure+=(-D CMAKE_PREFIX_PATH="$usr" -D CMAKE_INCLUDE_PATH="$usr/include"
    -D CMAKE_LIBRARY_PATH="$usr/lib/x86_64-linux-gnu")
fi
if ! command -v nvcc >/dev/null; then export CUDACXX=${CUDACXX:-${CUDA_HOME:-/usr/local/cuda}/bin/nvcc}; fi

body=$(mktemp) log=$(mktemp) summary=() failed=0
trap 'rm -f "$body" "$log"' EXIT

# step TITLE COMMAND...: what a record says of a command.
step() {
  local title=$1 status=0 result=passed
  shift
  printf '== %s\n' "$title"
  "$@" 2>&1 | sed "s|$PWD/||g" | tee "$log" || status=$?
  if [[ $status -ne 0 ]]; then result="FAILED, exit status $status" failed=1; fi
  summary+=("| $title | $result |")
  { printf '\n## %s\n\n```text\n$ %s\n' "$title" "${*//$PWD\//}"; cat "$log"; printf '```\n'; } >>"$body"
  return "$status"
}
not_run() {
  printf '== not run: %s: %s\n' "$1" "$2"
  summary+=("| $1 | not run: $2 |")
}

built=no
if step "Configure" "${configure[@]}" && step "Build" cmake --build "$build" --target gpu -j "$(nproc)"; then built=yes; fi
if [[ $build_only == yes ]]; then
  [[ $built == yes ]] && echo "Built for sm_${architectures:-90}; nothing was run (--build-only)"
  exit "$failed"
fi

if [[ $built == yes ]]; then
  for program in "$build"/bin/test-cuda-*; do
    name=${program##*/test-cuda-}
    step "$name" "$program" --no-colors --duration=true || true
  done
  step "placement beside a copy" "$build/bin/benchmark-placement" || true
  step "a compressed array beside its halves" "$build/bin/benchmark-compressed" || true
  # Contract tests call the runtime with what it refuses: refusals are theirs to judge, not the tool's.
  for tool in memcheck racecheck initcheck synccheck; do
    for program in "$build"/bin/test-cuda-*; do
      name=${program##*/test-cuda-}
      if command -v compute-sanitizer >/dev/null; then
        step "$name under $tool" compute-sanitizer --tool "$tool" --target-processes application-only --report-api-errors no --error-exitcode 86 \
          "$program" --no-colors || true
      else
        not_run "$name under $tool" "there is no compute-sanitizer"
      fi
    done
  done
fi

record=docs/gpu/$(date +%F)-$(tr -cs '[:alnum:]\n' - <<<"${gpu,,}").md
first_line() { "$@" 2>/dev/null | head -n 1; }
{
  printf '# %s, %s\n\n' "$gpu" "$(date +%F)"
  printf 'Written by `tests/gpu/run.sh`, of commit %s.\n\n' "$(git describe --always --dirty 2>/dev/null || echo unknown)"
  printf '| | |\n|---|---|\n'
  printf '| GPUs | %s |\n' "$(ask_gpu name,memory.total,compute_cap | paste -sd ';')"
  printf '| driver | %s |\n' "$(ask_gpu driver_version | sort -u | paste -sd ';')"
  printf '| nvcc | %s |\n' "$("${CUDACXX:-nvcc}" --version | sed -n 's/^Cuda compilation tools, //p')"
  printf '| C++ compiler | %s |\n' "$(first_line "$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")" --version)"
  printf '| CMake | %s |\n' "$(first_line cmake --version)"
  printf '| compute-sanitizer | %s |\n' "$(compute-sanitizer --version 2>/dev/null | grep -o 'Version.*' || echo none)"
  printf '| system | %s, %s |\n' "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)" "$(uname -srm)"
  printf '| processor | %s, %d threads |\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '\n| step | result |\n|---|---|\n'
  printf '%s\n' "${summary[@]}"
  cat "$body"
} >"$record"

printf '\n== Summary\n'
printf '%s\n' "${summary[@]}"
echo "The record is $record"
exit "$failed"
