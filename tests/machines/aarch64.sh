#!/usr/bin/env bash
# Builds suites of tests for aarch64 by Debian's cross compiler and runs them by qemu, after installing what is missing.
#   tests/machines/aarch64.sh [SUITE...]      core codec metadata store array, unless others are named
# Libraries of that machine are unpacked in build/aarch64/root. The last line has what ran, and the seconds.
set -euo pipefail
CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")/../.."
source .ci/packages.sh
need_packages g++-aarch64-linux-gnu qemu-user cmake ninja-build

suites=("$@")
if [[ $# -eq 0 ]]; then suites=(core codec metadata store array); fi
folder=$PWD/build/aarch64 root=$PWD/build/aarch64/root
libraries=(libdeflate-dev libdeflate0 libzstd-dev libzstd1 libblosc-dev libblosc1 libsnappy1v5 liblz4-dev liblz4-1
  libbz2-dev libbz2-1.0 liblzma-dev liblzma5 libzfp-dev libzfp1 libzip-dev libzip4 libcurl4-openssl-dev
  libcurl4 libssl-dev libssl3 zlib1g-dev zlib1g nlohmann-json3-dev doctest-dev)

if [[ ! -e $folder/unpacked ]]; then
  rm -rf "$root" "$folder/lists" "$folder/packages"
  mkdir -p "$root" "$folder/lists/partial" "$folder/packages/partial"
  # Lists of their own: apt's say nothing of packages for another machine.
  apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root
    -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/packages")
  "${apt[@]}" update
  (cd "$folder/packages" && "${apt[@]}" download "${libraries[@]}")
  for package in "$folder"/packages/*.deb; do dpkg-deb -x "$package" "$root"; done
  # Links to /lib, and to libraries of packages that are not here.
  find "$root" -type l | while read -r link; do
    to=$(readlink "$link")
    if [[ $to == /* ]]; then ln -sf "$root$to" "$link"; fi
  done
  touch "$folder/unpacked"
fi

export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
found=$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu
emulator=(qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$found:/usr/aarch64-linux-gnu/lib")
emulator_list=$(IFS=';'; echo "${emulator[*]}")
cmake -S . -B "$folder/made" -G Ninja -D CMAKE_BUILD_TYPE=Release -D TESSERA_BUILD_EXAMPLES=OFF \
  -D CMAKE_SYSTEM_NAME=Linux -D CMAKE_SYSTEM_PROCESSOR=aarch64 -D CMAKE_LIBRARY_ARCHITECTURE=aarch64-linux-gnu \
  -D CMAKE_C_COMPILER=aarch64-linux-gnu-gcc -D CMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
  -D CMAKE_FIND_ROOT_PATH="$root" -D CMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
  -D CMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -D CMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
  -D CMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY -D CMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$found" \
  -D CMAKE_CROSSCOMPILING_EMULATOR="$emulator_list"
SECONDS=0
cmake --build "$folder/made" -j "${TESSERA_JOBS:-$(nproc)}" --target "${suites[@]/#/test-}"
built=$SECONDS
for suite in "${suites[@]}"; do
  echo "== $suite, aarch64"
  "${emulator[@]}" "$folder/made/bin/test-$suite"
done
echo "aarch64 by $(qemu-aarch64 --version | head -1): ${suites[*]}; built in $built s, run in $((SECONDS - built)) s"
