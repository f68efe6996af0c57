#!/usr/bin/env bash
# Builds tessera with g++ and runs every test, after installing what is missing (Debian, Ubuntu).
#   tests/run.sh [--all] [--no-install] [--minutes N]
# --all: the builds of clang++, of the sanitizers and of nvcc too, as CI does. --no-install: with what is here. --minutes:
# what is not built or run by then is named as not run; g++'s build is in any case. The last line is "N passed, M failed",
# over all builds.
set -euo pipefail
CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")/.."
source .ci/packages.sh

all=no install=yes minutes=100000
while [[ $# -gt 0 ]]; do
  case $1 in
    --all) all=yes ;;
    --quick) all=no ;;  # what is the default now
    --no-install) install=no ;;
    --minutes) minutes=${2:?--minutes needs a number}; shift ;;
    *) sed -n '2,6s/^# *//p' tests/run.sh >&2; exit 2 ;;
  esac
  shift
done

sanitizers_link() { echo 'int main() {}' | clang++ -fsanitize=address,undefined -x c++ - -o /dev/null 2>/dev/null; }
if [[ $install == yes ]]; then
  packages=(g++ cmake ninja-build ccache libdeflate-dev libzstd-dev libblosc-dev libbz2-dev liblzma-dev libzfp-dev nlohmann-json3-dev libcli11-dev libpng-dev liblz4-dev zlib1g-dev doctest-dev
    python3-venv valgrind)
  if [[ $all == yes ]]; then packages+=(clang llvm); fi  # llvm: sanitizers name lines
  need_packages "${packages[@]}"
  # Some releases have the sanitizers' runtime in clang's own packages.
  if [[ $all == yes ]] && ! sanitizers_link; then need_packages libclang-rt-dev; fi
  # Tensors are exchanged with PyTorch. With what it needs that is 174 packages, 640 MB: nobody gets them unasked.
  if [[ $all == yes ]] && has_package python3-torch; then need_packages python3-torch; fi
fi

# The programs that tests/interop exchanges arrays with and whose data sets it reads, the headers that tests/resources
# compiles tessera with, and what tests/python builds the Python module with, each in an environment of their own: made
# anew when another version is asked for.
peers=build/interop-venv sets=build/data-sets-venv headers=build/resources-venv module=build/python-venv
grids=build/rectilinear-venv
# make_environment PATH REQUIREMENTS [OPTIONS...]: of $python, or else of python3.
make_environment() {
  cmp -s "$2" "$1/made-from.txt" && return
  echo "Making the Python environment $1"
  rm -rf "$1"
  "${python:-python3}" -m venv "$1" &&
    "$1/bin/pip" install -q --disable-pip-version-check --retries 1 --timeout 30 --only-binary :all: "${@:3}" -r "$2" &&
    cp "$2" "$1/made-from.txt" || { rm -rf "$1"; echo "It could not be made" >&2; }
}
# The first Python of 3.12 or newer, which zarr needs from 3.2 on; among those of pyenv too.
newer_python() {
  local one
  for one in python3 python3.14 python3.13 python3.12 $(compgen -G "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.1[2-9]*/bin/python3"); do
    if "$one" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
      echo "$one"
      return
    fi
  done
}
if [[ $install == yes ]]; then
  make_environment "$peers" tests/interop/requirements.txt
  newer=$(newer_python)
  if [[ -n $newer ]]; then python=$newer make_environment "$grids" tests/interop/rectilinear.txt; fi
  make_environment "$sets" tests/interop/data_sets.txt
  make_environment "$headers" tests/resources/requirements.txt --no-deps  # which are Python's, and large
  make_environment "$module" tests/python/requirements.txt
  if [[ -d $module ]]; then
    python3 tests/fetch_source.py "$module" zarr build/zarr-python-tests tests pyproject.toml ||
      echo "zarr-python's own tests could not be downloaded" >&2
  fi
  if [[ -d $peers ]]; then
    python3 tests/fetch_source.py "$peers" numcodecs build/numcodecs-fixtures fixture ||
      echo "numcodecs' own fixtures could not be downloaded" >&2
  fi
fi

# What was compiled in another checkout is found in the cache.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
passed=0 failed=0 summary=()
jobs=$(nproc)

not_run() { summary+=("not run  $1 ($2)"); }

# in_time COMMAND...: 124, if it was ended because the minutes are over.
in_time() {
  local left=$((minutes * 60 - SECONDS))
  if [[ $left -le 0 ]]; then return 124; fi
  timeout "$left" "$@"
}

# build_and_test PRESET WHAT: a build that fails counts as one failure, a test that was skipped as neither.
build_and_test() {
  local what=$2 log="build/$1/ctest.log" total bad skipped result limit=in_time status=0
  if [[ $1 == release ]]; then limit=env; fi
  printf '\n== %s\n' "$what"
  rm -f "$log"
  cmake --preset "$1" && $limit cmake --build --preset "$1" -j "$jobs" || status=$?
  if [[ $status -eq 0 ]]; then $limit ctest --preset "$1" -j "$jobs" --output-log "$log" || status=$?; fi
  if [[ $status -eq 124 ]] && ! grep -qs '\*\*\*Failed' "$log"; then
    not_run "$what" "the $minutes minutes were over"
    return
  fi
  if ! result=$(grep -oE '[0-9]+ tests? failed out of [0-9]+' "$log" 2>/dev/null); then
    failed=$((failed + 1))
    summary+=("FAILED   $what: it did not build")
    return
  fi
  bad=${result%% *} total=${result##* } skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
  passed=$((passed + total - bad - skipped)) failed=$((failed + bad))
  local word=ran
  if [[ $bad -gt 0 ]]; then word=FAILED; fi
  summary+=("$(printf '%-8s %s: %d passed, %d failed, %d skipped' $word "$what" $((total - bad - skipped)) "$bad" "$skipped")")
}
build_and_test release "g++, Release"
if [[ -d $peers ]]; then
  cat build/release/interop/report.md 2>/dev/null || true
else
  not_run "exchange with zarr-python, zarrs and TensorStore" "no Python environment $peers: --no-install, or pip failed"
fi
if [[ ! -d $grids ]]; then
  not_run "exchange of rectilinear grids" "no Python environment $grids: --no-install, no Python 3.12, or pip failed"
fi
if [[ ! -d $module ]]; then
  not_run "the Python module" "no Python environment $module: --no-install, or pip failed"
fi
if [[ -d $module ]] && ! grep -qs 'python-torch .*Passed' build/release/ctest.log; then
  not_run "the exchange of tensors with PyTorch" "no python3-torch, which --all installs, or it failed"
fi
if [[ ! -d build/zarr-python-tests ]]; then
  not_run "zarr-python's own tests over tessera's codec pipeline" "they are not here: --no-install, or pip failed"
fi
if [[ ! -d build/numcodecs-fixtures ]]; then
  not_run "numcodecs' own fixtures" "they are not here: --no-install, or pip failed"
fi
if [[ ! -d $headers ]]; then
  not_run "RMM's and CCCL's containers, Kokkos's mdspan" "no Python environment $headers: --no-install, or pip failed"
fi
if [[ $all == yes ]]; then
  build_and_test clang "clang++: headers, programs that must not compile, foreign projects, pages"
  build_and_test sanitize "clang++, AddressSanitizer and UndefinedBehaviorSanitizer"
  build_and_test thread "clang++, ThreadSanitizer: queues, stores, arrays, device memory, processes"
else
  not_run "clang++" "without --all"
  not_run "clang++, AddressSanitizer and UndefinedBehaviorSanitizer" "without --all"
  not_run "clang++, ThreadSanitizer" "without --all"
fi

# What nvcc compiles and links; its programs find out whether there is a GPU. In all other builds an emulated CUDA
# runtime stands in for one.
nvcc=$(command -v nvcc || compgen -G "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" || true)
if [[ $all == no ]]; then
  not_run "nvcc" "without --all"
elif [[ -z $nvcc ]]; then
  not_run "nvcc" "no CUDA toolkit"
else
  CUDACXX=$nvcc build_and_test cuda "nvcc, for sm_90"
  if grep -q 'cuda-device .*\*\*\*Skipped' build/cuda/ctest.log 2>/dev/null; then
    not_run "device memory on a GPU" "there is none; the emulated runtime ran the same tests"
  fi
fi

printf '\n== Summary\n'
printf '%s\n' "${summary[@]}"
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
