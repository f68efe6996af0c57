#!/usr/bin/env bash
# Builds tessera with g++ and runs every test, after installing what is missing (Debian, Ubuntu).
#   tests/run.sh [--all] [--no-install] [--minutes N]
# --all: the builds of the sanitizers, of nvcc and of clang++ too, as CI does. --no-install: with what is here. --minutes:
# the builds after g++'s share what it leaves. In each, what is built by then is tested, and what is not built or run is
# named as not run. The last line is "N passed, M failed", over all builds.
set -euo pipefail
CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")/.."
source .ci/packages.sh

all=no install=yes minutes=
while [[ $# -gt 0 ]]; do
  case $1 in
    --all) all=yes ;;
    --quick) all=no ;;  # the default now
    --no-install) install=no ;;
    --minutes)
      minutes=${2:-}
      if [[ ! $minutes =~ ^(0|[1-9][0-9]{0,5})$ ]]; then
        echo "--minutes: found \"$minutes\", expected a whole number" >&2
        exit 2
      fi
      shift ;;
    *) sed -n '2,7s/^# *//p' tests/run.sh >&2; exit 2 ;;
  esac
  shift
done

sanitizers_link() { echo 'int main() {}' | clang++ -fsanitize=address,undefined -x c++ - -o /dev/null 2>/dev/null; }
if [[ $install == yes ]]; then
  packages=(g++ cmake ninja-build ccache libdeflate-dev libzstd-dev libblosc-dev libbz2-dev liblzma-dev libzfp-dev libcurl4-openssl-dev libssl-dev libzip-dev libopenmpi-dev openmpi-bin libmpich-dev mpich nlohmann-json3-dev libcli11-dev libpng-dev liblz4-dev zlib1g-dev doctest-dev
    python3-venv valgrind abigail-tools)
  if [[ $all == yes ]]; then packages+=(clang llvm debhelper); fi  # llvm: sanitizers name lines
  need_packages "${packages[@]}"
  # Some releases have the sanitizers' runtime in clang's own packages.
  if [[ $all == yes ]] && ! sanitizers_link; then need_packages libclang-rt-dev; fi
  # Tensors are exchanged with PyTorch. With its dependencies that is 174 packages, 640 MB: it is installed only on
  # request. Without it one test is skipped, and named below as not run.
  if [[ $all == yes ]] && has_package python3-torch; then (need_packages python3-torch) || true; fi
fi

# The programs that tests/interop exchanges arrays with and whose data sets it reads, the headers that tests/resources
# compiles tessera with, the servers of tests/s3, Conan, and the tools that tests/python builds the Python module with,
# each in an environment of their own: made anew when another version is required.
peers=build/interop-venv sets=build/data-sets-venv headers=build/resources-venv module=build/python-venv
grids=build/rectilinear-venv writers=build/writers-venv spelling=build/spell-venv buckets=build/s3-venv
packages_of=build/packaging-venv site=build/site-venv
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
  if [[ -n $newer ]]; then
    python=$newer make_environment "$grids" tests/interop/rectilinear.txt
    python=$newer make_environment "$writers" tests/interop/writers.txt
  fi
  make_environment "$sets" tests/interop/data_sets.txt
  make_environment "$headers" tests/resources/requirements.txt --no-deps  # which are Python's, and large
  make_environment "$module" tests/python/requirements.txt
  make_environment "$spelling" tests/house/spelling.txt
  make_environment "$buckets" tests/s3/requirements.txt
  if [[ $all == yes ]]; then
    make_environment "$packages_of" tests/packaging/requirements.txt
    make_environment "$site" site/requirements.txt
  fi
  if [[ -d $module ]]; then
    python3 tests/fetch_source.py "$module" zarr build/zarr-python-tests tests pyproject.toml ||
      echo "zarr-python's own tests could not be downloaded" >&2
  fi
  if [[ -d $peers ]]; then
    python3 tests/fetch_source.py "$peers" numcodecs build/numcodecs-fixtures fixture ||
      echo "numcodecs' own fixtures could not be downloaded" >&2
  fi
fi

# The cache finds objects compiled in another checkout.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
passed=0 failed=0 summary=()
jobs=$(nproc)

not_run() { summary+=("not run  $1 ($2)"); }

# The builds after g++'s, in their order, each with its share of the time left for it and later ones. The last gets what
# the others leave: nvcc's, which takes longest.
declare -A share=([sanitize]=8 [thread]=6 [clang]=3 [cuda]=7)

# before SECONDS COMMAND...: 124, if it was ended because the time is over. Without SECONDS it has no limit, and ends
# with this script at Ctrl-C.
before() {
  if [[ -z $1 ]]; then
    "${@:2}"
    return
  fi
  local left=$(($1 - SECONDS))
  if [[ $left -le 0 ]]; then return 124; fi
  timeout "$left" "${@:2}"
}

# build PRESET BEFORE: the programs of tests first, of nvcc's build the small ones, then the rest.
declare -A first=([release]=test-programs [sanitize]=test-programs [cuda]=cuda-small)
build() {
  if [[ -n ${first[$1]:-} ]]; then before "$2" cmake --build --preset "$1" -j "$jobs" --target "${first[$1]}" || return; fi
  before "$2" cmake --build --preset "$1" -j "$jobs"
}

# longest TESTS: those of ctest's lines that took longest, with their seconds.
longest() {
  sed -nE 's/.*Test +#[0-9]+: ([^ ]+) .* ([0-9]+)\.[0-9]+ sec$/\2 \1/p' <<<"$1" | sort -k1,1nr -k2 |
    awk 'NR <= 15 { printf("%s%s %d", (NR > 1 ? ", " : ""), $2, $1) }'
}

# build_and_test PRESET WHAT: a failed build counts as one failure, a skipped test as neither.
build_and_test() {
  local preset=$1 what=$2 log="build/$1/ctest.log" build_ends='' ends='' all_shares=0 each status=0 tested=0 without=()
  local begun=$SECONDS built
  printf '\n== %s\n' "$what"
  rm -f "$log"
  if [[ -n $minutes ]]; then
    local seconds=$((minutes * 60 - SECONDS))
    if [[ $preset != release ]]; then
      for each in "${share[@]}"; do all_shares=$((all_shares + each)); done
      seconds=$((seconds * share[$preset] / all_shares))
      unset "share[$preset]"
    fi
    build_ends=$((SECONDS + seconds * 6 / 10)) ends=$((SECONDS + seconds))
    if [[ $seconds -le 0 ]]; then
      not_run "$what" "the $minutes minutes were over"
      return
    fi
  fi
  cmake --preset "$preset" && touch "build/$preset/begun" && build "$preset" "$build_ends" || status=$?
  built=$SECONDS
  if [[ $status -eq 124 ]]; then without=(-E "^($(python3 tests/not_built.py "$preset" | paste -sd '|'))$"); fi
  if [[ $status -eq 0 || $status -eq 124 ]]; then
    # Not --output-log, which leaves nothing if it is ended.
    before "$ends" ctest --preset "$preset" -j "$jobs" "${without[@]}" | tee "$log" || tested=$?
    if [[ $tested -eq 124 ]]; then status=124; fi
  fi

  local ran total good skipped bad
  ran=$(grep -E '^ *[0-9]+/[0-9]+ Test +#' "$log" 2>/dev/null || true)
  if [[ $status -eq 124 ]]; then
    local names
    names=$(comm -23 <(ctest --preset "$preset" -N | sed -n 's/^ *Test *#[0-9]*: //p' | sort) \
      <(sed -E 's/.*#[0-9]+: ([^ ]+) .*/\1/' <<<"$ran" | sort) | paste -sd ' ')
    not_run "$what: $(wc -w <<<"$names") tests" "the $minutes minutes were over: $names"
    if [[ -z $ran ]]; then return; fi
  elif [[ -z $ran ]]; then
    failed=$((failed + 1))
    summary+=("FAILED   $what: it did not build")
    return
  fi
  total=$(wc -l <<<"$ran") good=$(grep -c ' Passed ' <<<"$ran" || true) skipped=$(grep -c '\*\*\*Skipped' <<<"$ran" || true)
  bad=$((total - good - skipped))
  passed=$((passed + good)) failed=$((failed + bad))
  if [[ $tested -ne 124 && $tested -ne $((bad > 0 ? 8 : 0)) ]]; then  # it ends like this after its last test
    failed=$((failed + 1))
    summary+=("FAILED   $what: ctest itself, with status $tested")
  fi
  local word=ran
  if [[ $bad -gt 0 ]]; then word=FAILED; fi
  summary+=("$(printf '%-8s %s: %d passed, %d failed, %d skipped' $word "$what" "$good" "$bad" "$skipped")")
  summary+=("         built in $((built - begun)) s, tested in $((SECONDS - built)) s: $(longest "$ran")")
}
build_and_test release "g++, Release"
if [[ -d $peers ]]; then
  cat build/release/interop/report.md 2>/dev/null || true
else
  not_run "exchange with zarr-python, zarrs and TensorStore" "no Python environment $peers: --no-install, or pip failed"
fi
if [[ ! -d $grids ]]; then
  for what in "exchange of rectilinear grids" "the Python module's wheel with another Python"; do
    not_run "$what" "no Python environment $grids: --no-install, no Python 3.12, or pip failed"
  done
fi
if [[ ! -d $writers ]]; then
  not_run "arrays of zarr-python 3.4, xarray, GDAL, netCDF-C, anndata and z5" "no Python environment $writers: --no-install, no Python 3.12, or pip failed"
fi
if [[ ! -d $spelling ]]; then
  not_run "the spelling of comments, messages and pages" "no Python environment $spelling: --no-install, or pip failed"
fi
if [[ ! -d $buckets ]]; then
  not_run "values in buckets" "no Python environment $buckets: --no-install, or pip failed"
fi
for what in packaging-conan packaging-debian packaging-site python-repaired; do
  if ! grep -qs "$what .*Passed" build/release/ctest.log; then
    not_run "$what" "without --all, or pip or apt failed, or it failed"
  fi
done
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
nvcc=$(command -v nvcc || compgen -G "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" || true)
if [[ -z $nvcc ]]; then unset "share[cuda]"; fi
if [[ $all == yes ]]; then
  build_and_test sanitize "clang++, AddressSanitizer and UndefinedBehaviorSanitizer"
  build_and_test thread "clang++, ThreadSanitizer: queues, stores, arrays, device memory, processes"
else
  not_run "clang++, AddressSanitizer and UndefinedBehaviorSanitizer" "without --all"
  not_run "clang++, ThreadSanitizer" "without --all"
fi

if [[ $all == yes ]]; then
  build_and_test clang "clang++, header-only: headers, programs that must not compile, foreign projects, pages"
else
  not_run "clang++" "without --all"
fi

# nvcc's programs; they find out whether there is a GPU. In all other builds an emulated CUDA runtime replaces one.
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
