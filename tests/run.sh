#!/usr/bin/env bash
# Builds tessera and runs every test, after installing what is missing (Debian, Ubuntu).
#   tests/run.sh [--quick] [--no-install]
# --quick: g++ only. --no-install: with what is here. The last line is "N passed, M failed", over all builds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source .ci/packages.sh

quick=no install=yes
for option; do
  case $option in
    --quick) quick=yes ;;
    --no-install) install=no ;;
    *) sed -n '2,4s/^# *//p' tests/run.sh >&2; exit 2 ;;
  esac
done

sanitizers_link() { echo 'int main() {}' | clang++ -fsanitize=address,undefined -x c++ - -o /dev/null 2>/dev/null; }
if [[ $install == yes ]]; then
  packages=(g++ cmake ninja-build ccache libzstd-dev libblosc-dev nlohmann-json3-dev libcli11-dev libpng-dev doctest-dev)
  if [[ $quick == no ]]; then packages+=(clang llvm); fi  # llvm: sanitizers name lines
  need_packages "${packages[@]}"
  # Some releases have the sanitizers' runtime in clang's own packages.
  if [[ $quick == no ]] && ! sanitizers_link; then need_packages libclang-rt-dev; fi
fi

passed=0 failed=0 summary=()
jobs=$(nproc)

# build_and_test PRESET WHAT: a build that fails counts as one failure.
build_and_test() {
  local preset=$1 what=$2 results="build/$1/results.xml" total bad
  printf '\n== %s\n' "$what"
  rm -f "$results"
  if cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs"; then
    ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/$results" || true
  fi
  total=$(count tests "$results") bad=$(count failures "$results")
  if [[ -z $total || -z $bad || $total -eq 0 ]]; then
    failed=$((failed + 1))
    summary+=("FAILED   $what: it did not build")
  else
    passed=$((passed + total - bad)) failed=$((failed + bad))
    if [[ $bad -eq 0 ]]; then summary+=("ran      $what: $total passed"); else
      summary+=("FAILED   $what: $((total - bad)) passed, $bad failed"); fi
  fi
}
count() { { grep -oE "^[[:space:]]*$1=\"[0-9]+\"" "$2" 2>/dev/null || true; } | head -n 1 | tr -dc 0-9; }
not_run() { summary+=("not run  $1 ($2)"); }

build_and_test release "g++, Release"
if grep -qs '^TESSERA_NVCC:FILEPATH=/' build/release/CMakeCache.txt; then
  stubs=$(grep -cs 'testcase name="static-nvcc-' build/release/results.xml || true)
  summary+=("         of these ${stubs:-0} are static stubs with nvcc")
else
  not_run "static stubs with nvcc" "no CUDA toolkit"
fi
if [[ $quick == no ]]; then
  build_and_test clang "clang++, Release"
  build_and_test sanitize "clang++, AddressSanitizer and UndefinedBehaviorSanitizer"
else
  not_run "clang++, Release" "--quick"
  not_run "clang++, AddressSanitizer and UndefinedBehaviorSanitizer" "--quick"
fi

printf '\n== Summary\n'
printf '%s\n' "${summary[@]}"
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
