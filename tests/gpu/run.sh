#!/usr/bin/env bash
# Records what a GPU makes of tessera, in steps that are commands of their own and end in a bounded time.
#   tests/gpu/run.sh [OPTION...] [STEP...]
#
#   suites       the suites, three times, and what the link carries       5 minutes
#   end-to-end   arrays in files into device memory, beside others       10 minutes
#   placement    placing beside a copy, large boxes, ncu, a timeline      6 minutes
#   memcheck     the placing cases under compute-sanitizer                9 minutes
#   direct       a file into device memory by cuFile, beside gdsio        3 minutes
#   cache        cached slabs, spills and returns, beside copies          2 minutes
#   sharing      arrays attached by another process; CuPy, PyTorch        5 minutes
#   decoding     nvCOMP: its suite; on the device, beside the host        4 minutes
#   primitives   CUB beside today's delta, fill look and minmax           3 minutes
#   python       the Python module: its tests; CuPy, PyTorch, JAX         4 minutes
#
#   --build-only        builds, for the GPU that is here or else for sm_90, and puts all that a run needs into FOLDER
#   --run-only          builds nothing: runs what is in FOLDER
#   --carried FOLDER    build/gpu/carried unless given
#   --python PYTHON     makes the Python module, too, with an interpreter that has scikit-build-core, nanobind and
#                       nanobind-backend: of the version that the other machine has, as the last of these is for one
#   --commit TEXT       what was built, where there is no .git; what FOLDER says unless given
#   --seconds N         bounds each step
#   --jobs N            of the build
#
# Without a step it does all of them; without --run-only it builds first. Libraries come from .deps where there is one
# (tests/gpu/collect-deps makes it), else from the system.
#
# Each step writes a page into $OUT as it goes (build/gpu/record without OUT): a step that is cut off leaves whole what
# it did before. Exit status 0: nothing failed. 77: nothing failed, and there is no GPU. 1: something failed.
set -uo pipefail
CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

die() { printf 'run.sh: %s\n' "$*" >&2; exit 2; }

build=build/gpu carried=build/gpu/carried commit='' python='' bound='' jobs=$(nproc) does_build=yes does_run=yes steps=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --build-only) does_run=no ;;
    --run-only) does_build=no ;;
    --carried | --commit | --python | --seconds | --jobs)
      [[ $# -gt 1 ]] || die "$1 wants a value"
      case $1 in
        --carried) carried=$2 ;;
        --commit) commit=$2 ;;
        --python) python=$2 ;;
        --seconds) bound=$2 ;;
        --jobs) jobs=$2 ;;
      esac
      shift ;;
    suites | end-to-end | placement | memcheck | direct | cache | sharing | decoding | primitives | python) steps+=("$1") ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' tests/gpu/run.sh >&2; exit 2 ;;
  esac
  shift
done
[[ ${#steps[@]} -gt 0 ]] || steps=(suites end-to-end placement memcheck direct cache sharing decoding primitives python)

has() { command -v "$1" >/dev/null; }
ask_gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null; }

# ---- building

programs=(test-cuda-contract test-cuda-device test-cuda-thrust test-cuda-ipc benchmark-placement benchmark-compressed
  link_probe end_to_end large cached shared primitives cuda-python-peer)

build_all() {
  local architecture usr configure
  architecture=$(ask_gpu compute_cap | tr -d . | sort -u | head -n 1)
  # For one architecture, and stripped, because the carried files must be small. The other machine needs only glibc.
  configure=(cmake -S . -B "$build" -D CMAKE_BUILD_TYPE=Release -D TESSERA_CUDA=ON -D TESSERA_BUILD_EXAMPLES=OFF
    -D TESSERA_WARNINGS_AS_ERRORS=OFF -D "CMAKE_CUDA_ARCHITECTURES=${architecture:-90}-real"
    -D "CMAKE_EXE_LINKER_FLAGS=-s -static-libstdc++ -static-libgcc")
  if has ninja; then configure+=(-G Ninja); fi
  if [[ -d .deps/root/usr ]]; then
    usr=$PWD/.deps/root/usr
    configure+=(-D CMAKE_PREFIX_PATH="$usr" -D CMAKE_INCLUDE_PATH="$usr/include"
      -D CMAKE_LIBRARY_PATH="$usr/lib/x86_64-linux-gnu")
  fi
  if ! has nvcc; then export CUDACXX=${CUDACXX:-${CUDA_HOME:-/usr/local/cuda}/bin/nvcc}; fi
  "${configure[@]}" && cmake --build "$build" --target gpu -j "$jobs" || return

  rm -rf "$carried" && mkdir -p "$carried" || return
  local name library
  for name in "${programs[@]}"; do cp "$build/bin/$name" "$carried" || return; done
  for name in direct test-cuda-nvcomp decoding; do  # with cuFile's header alone, or with nvCOMP
    if [[ -f $build/bin/$name ]]; then cp "$build/bin/$name" "$carried" || return; fi
  done
  if [[ -f $build/lib/libtimeline.so ]]; then strip -o "$carried/libtimeline.so" "$build/lib/libtimeline.so"; fi
  # The CUDA libraries that they were linked with: the other machine's may be older.
  copy_libraries 'libcu[dp]\|libnvcomp' "$carried" "$build/bin/link_probe" "$carried/decoding" "$build"/lib/*.so || return
  if [[ -n $python ]]; then build_module "${architecture:-90}" || return; fi
  git describe --always --dirty >"$carried/commit" 2>/dev/null || echo "${commit:-unknown}" >"$carried/commit"
  echo "Built for sm_${architecture:-90}: $carried, $(du -sm "$carried" | cut -f 1) MiB"
}

# copy_libraries PATTERN FOLDER PROGRAM...: the libraries that programs were linked with.
copy_libraries() {
  local pattern=$1 folder=$2 library
  shift 2
  for library in $(ldd "$@" 2>/dev/null | sed -n "s/.* => \(\/[^ ]*\($pattern\)[^ ]*\).*/\1/p" | sort -u); do
    cp -L "$library" "$folder" || return
  done
}

# The module, which looks for the libraries of its codecs beside itself.
build_module() {
  local folder=$carried/python
  "$python" -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps --target "$folder" \
    -C build-dir="$PWD/$build/python" -C cmake.define.TESSERA_PYTHON_CUDA=ON -C cmake.define.CMAKE_CUDA_ARCHITECTURES="$1-real" \
    -C 'cmake.define.CMAKE_INSTALL_RPATH=$ORIGIN' -C cmake.define.CMAKE_MODULE_LINKER_FLAGS=-Wl,--disable-new-dtags \
    . || return
  cp -r "$("$python" -c 'import nanobind_backend as found; print(found.__path__[0])')" "$folder" || return
  copy_libraries 'libcudart\|libblosc\|libzstd\|libdeflate\|liblz4\|libsnappy\|libbz2\|liblzma' "$folder/tessera" \
    "$folder"/tessera/*.so
}

if [[ $does_build == yes ]]; then build_all || exit 1; fi
if [[ $does_run == no ]]; then exit 0; fi
[[ -d $carried ]] || die "there is no $carried: tests/gpu/run.sh --build-only makes it"

# ---- running

out=${OUT:-build/gpu/record}
mkdir -p "$out" || exit 1
data=$(mktemp -d "${TMPDIR:-/tmp}/tessera-gpu.XXXXXX") || exit 1
trap 'rm -rf "$data"' EXIT
carried=$(realpath "$carried")
export LD_LIBRARY_PATH=$carried:${LD_LIBRARY_PATH:-}
any_failed=no no_gpu=no record='' end=0

# head_of NUMBER NAME SECONDS: the record of a step begins.
head_of() {
  record=$out/$(printf %02d "$1")-$2.md
  shift
  end=$((SECONDS + ${bound:-$2}))
  {
    printf '# %s: %s, %s\n\n' "$1" "$(ask_gpu name | head -n 1 | grep . || echo 'no GPU')" "$(date +%F)"
    printf 'Written by `tests/gpu/run.sh`, of commit %s. A part that does not say how it ended was cut off.\n\n' \
      "${commit:-$(cat "$carried/commit" 2>/dev/null || git describe --always --dirty 2>/dev/null || echo unknown)}"
    printf '| | |\n|---|---|\n'
    printf '| GPUs | %s |\n' "$(ask_gpu name,memory.total,compute_cap | paste -sd ';' | grep . || echo none)"
    printf '| driver | %s |\n' "$(ask_gpu driver_version | sort -u | paste -sd ';' | grep . || echo none)"
    printf '| system | %s, %s |\n' "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)" "$(uname -srm)"
    printf '| processor | %s, %d threads |\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  } >"$record"
  printf '== %s, at most %d s\n' "$1" "${bound:-$2}"
}

# ended TITLE RESULT
ended() {
  printf '\n**%s**\n' "$2" >>"$record"
  printf '%s: %s\n' "$1" "$2"
}

# not_run TITLE WHY
not_run() {
  printf '\n## %s\n' "$1" >>"$record"
  ended "$1" "not run: $2"
}

failed() {
  any_failed=yes
  tail -n 12 "$record"
  ended "$@"
}

# part TITLE SECONDS COMMAND...: runs it within its time, and that of its step, which --seconds may have cut. Its output
# goes to the record at once, as lines of code, so that the page is valid wherever it ends.
part() {
  local title=$1 seconds=$2 status=0 begin=$SECONDS left=$((end - SECONDS))
  shift 2
  printf '\n## %s\n\n    $ %s\n' "$title" "${*//$PWD\//}" >>"$record"
  if [[ $left -le 0 ]]; then ended "$title" "not run: the time of this step is over"; return; fi
  if [[ $seconds -gt $left ]]; then seconds=$left; fi
  timeout -k 5 "$seconds" "$@" 2>&1 | sed -u "s|$PWD/||g; s/^/    /" >>"$record"
  status=${PIPESTATUS[0]}
  case $status in
    0) ended "$title" "passed, $((SECONDS - begin)) s" ;;
    77)
      ended "$title" "not run: $(tail -n 1 "$record" | sed 's/^ *//')"
      if tail -n 3 "$record" | grep -q 'no GPU'; then no_gpu=yes; fi ;;
    124 | 137) failed "$title" "FAILED: stopped after $((SECONDS - begin)) s" ;;
    *) failed "$title" "FAILED, exit status $status, $((SECONDS - begin)) s" ;;
  esac
}
# with TOOL TITLE SECONDS COMMAND...: a part, if the tool exists.
with() {
  local tool=$1
  shift
  if has "$tool"; then
    part "$@"
  else
    not_run "$1" "there is no $tool"
  fi
}

suites() {
  head_of 1 suites 300
  local round name
  local -A seconds=([contract]=15 [device]=50 [thrust]=15)
  for round in 1 2 3; do
    for name in contract device thrust; do
      part "$name, round $round" "${seconds[$name]}" stdbuf -oL "$carried/test-cuda-$name" --no-colors --duration=true
    done
    if [[ $round == 1 ]]; then part "what the link carries" 60 "$carried/link_probe"; fi
  done
}

end_to_end() {
  head_of 2 end-to-end 600
  part "files" 90 "$carried/end_to_end" make "$data"
  part "raw" 100 "$carried/end_to_end" read "$data" 1024 5 raw
  part "transposed" 100 "$carried/end_to_end" read "$data" 1024 3 transposed
  with python3 "KvikIO" 60 python3 tests/gpu/peers.py kvikio "$data"
  with python3 "TensorStore and a copy" 60 python3 tests/gpu/peers.py tensorstore "$data"
  with python3 "zarr-python with CuPy" 60 python3 tests/gpu/peers.py zarr "$data"
  part "zstd" 130 "$carried/end_to_end" read "$data" 1024 3 zstd
}

placement() {
  head_of 3 placement 360
  part "placing beside a copy" 80 stdbuf -oL "$carried/benchmark-placement"
  part "a compressed array beside its halves" 40 stdbuf -oL "$carried/benchmark-compressed"
  part "more than 8 GiB, and more than 2^31 words" 80 "$carried/large"
  # The clocks are not changed: they belong to the machine's owner.
  with ncu "placing under ncu" 80 ncu --target-processes application-only --clock-control none -k regex:call_blocks \
    --section SpeedOfLight --section MemoryWorkloadAnalysis --section LaunchStats --section Occupancy \
    "$carried/benchmark-placement" 1 512 64 512
  local title="a timeline of raw and transposed reads" cupti
  cupti=$(find_cupti)
  if [[ ! -f $carried/libtimeline.so || -z $cupti ]]; then
    not_run "$title" "there is no CUPTI"
    return
  fi
  part "files of a timeline" 40 "$carried/end_to_end" make "$data" 1024
  part "$title" 40 env "LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$cupti" "CUDA_INJECTION64_PATH=$carried/libtimeline.so" \
    "TIMELINE=$out/timeline.csv" "$carried/end_to_end" once "$data" 1024 raw transposed
}
# The folder of CUPTI.
find_cupti() {
  local python=/nowhere
  if has python3; then python=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])'); fi
  find -L "$carried" "${CUDA_HOME:-/usr/local/cuda}" "$python/nvidia" -maxdepth 5 -name 'libcupti.so.*' \
    -printf '%h\n' 2>/dev/null | head -n 1
}

# Placing alone: under a tool, all of it would need hours. Tests that cause refusals check them themselves.
memcheck() {
  head_of 4 memcheck 540
  local tool seconds=240
  for tool in memcheck racecheck initcheck synccheck; do
    with compute-sanitizer "placing under $tool" "$seconds" compute-sanitizer --tool "$tool" \
      --target-processes application-only --report-api-errors no --error-exitcode 86 \
      "$carried/test-cuda-device" --no-colors '--source-file=*/place*'
    seconds=100
  done
}

# The disk is the one of the temporary folder: TMPDIR chooses it. cuFile's log is kept out of the way.
direct() {
  head_of 5 direct 180
  if [[ ! -x $carried/direct ]]; then
    not_run "a file by cuFile" "there was no cufile.h when it was built"
    return
  fi
  part "a file by cuFile" 110 env CUFILE_LOGFILE_PATH=/dev/null "$carried/direct" "$data/direct" 1024 5 keep
  with gdsio "gdsio on the same file" 60 env CUFILE_LOGFILE_PATH=/dev/null gdsio -f "$data/direct" -d 0 -w 4 -s 1G -i 1M -x 0 -I 0
}

cache() {
  head_of 6 cache 120
  part "a cache beside copies" 110 "$carried/cached"
}

sharing() {
  head_of 7 sharing 300
  part "the suite" 120 env TESSERA_IPC_STEPS=400 stdbuf -oL "$carried/test-cuda-ipc" --no-colors --duration=true
  part "attaching, and reading what is attached" 60 "$carried/shared" 1024 20
  with python3 "CuPy in another process" 60 "$carried/shared" with python3 tests/gpu/shared_tensors.py cupy
  with python3 "PyTorch in another process" 60 "$carried/shared" with python3 tests/gpu/shared_tensors.py torch
}

decoding() {
  head_of 8 decoding 240
  if [[ ! -x $carried/decoding ]]; then
    not_run "decoding by nvCOMP" "there is no program that was built with nvCOMP"
    return
  fi
  part "the suite" 120 stdbuf -oL "$carried/test-cuda-nvcomp" --no-colors --duration=true
  part "on the device, and on the host" 120 "$carried/decoding"
}

primitives() {
  head_of 9 primitives 180
  part "CUB beside what there is" 170 "$carried/primitives"
}

python() {
  head_of 10 python 240
  local library
  if [[ ! -d $carried/python ]]; then
    not_run "the Python module" "there is no module in $carried, where --python puts it"
    return
  fi
  export PYTHONPATH=$carried/python
  with python3 "the module's tests" 90 env "TESSERA_PYTHON_PEER=$carried/cuda-python-peer" \
    python3 -m pytest -q -rs -p no:cacheprovider examples/python/tests/test_device.py
  for library in cupy torch jax; do
    with python3 "tensors of $library" 50 python3 tests/gpu/tensors.py "$library" "$data"
  done
}

for step in "${steps[@]}"; do "${step//-/_}"; done
echo "The record is $out"
if [[ $any_failed == yes ]]; then exit 1; fi
if [[ $no_gpu == yes ]]; then exit 77; fi
exit 0
