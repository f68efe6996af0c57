#!/usr/bin/env bash
# Builds the command tessera, after installing what is missing (Debian, Ubuntu), and reads a real brain volume with it.
#   examples/demo.sh [--no-install]
set -euo pipefail
CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")/.."
source .ci/packages.sh
case "${1-}" in
  "") need_packages g++ cmake ninja-build ccache libdeflate-dev libzstd-dev libblosc-dev liblz4-dev libbz2-dev liblzma-dev libzfp-dev libcli11-dev libpng-dev libcurl4-openssl-dev libssl-dev libzip-dev ;;
  --no-install) ;;
  *) sed -n '2,3s/^# *//p' examples/demo.sh >&2; exit 2 ;;
esac

out=build/demo
cmake -S . -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTESSERA_BUILD_TESTS=OFF
cmake --build "$out" --target tessera-cli -j "$(nproc)"
tessera=$out/bin/tessera brain=examples/data/brain.zarr
microseconds() { echo "${EPOCHREALTIME/[.,]/}"; }  # the decimal point depends on the locale

printf '\n$ tessera info %s\n' "$brain"
"$tessera" info "$brain"

# Compares the shape, type and sum in examples/data/README.md with the elements read.
lines=()
for array in t1 t1_half; do
  row=$(grep -F "| \`$array\` |" examples/data/README.md)
  read -r shape type < <(cut -d '|' -f 3 <<<"$row")
  expected=$(grep -oE '[0-9a-f]{64}' <<<"$row")
  file=$out/$array.bin
  start=$(microseconds)
  "$tessera" read "$brain/$array" --output "$file"
  micros=$(($(microseconds) - start)) bytes=$(stat -c %s "$file")
  sum=$(sha256sum "$file" | cut -d ' ' -f 1)
  if [[ $sum != "$expected" ]]; then
    echo "$array: sha256 is $sum, but should be $expected" >&2
    exit 1
  fi
  lines+=("$(printf '%-8s %-12s %-8s sha256 as promised  %d.%03d s, %d MB/s' \
    "$array" "$shape" "$type" $((micros / 1000000)) $((micros / 1000 % 1000)) $((bytes / micros)))")
done

# Elements that were written as an array and re-encoded are still the same.
"$tessera" read "$brain/t1" --output "$out/t1.npy" >"$out/log"
show() {
  printf '\n$ tessera'
  for word; do [[ $word == *[!A-Za-z0-9_./,-]* ]] && word="'$word'"; printf ' %s' "$word"; done
  printf '\n'
  "$tessera" "$@"
}
show write "$out/t1.npy" "$out/new.zarr/t1" --chunks 50,50,50 --names x,y,z --overwrite
show copy "$out/new.zarr/t1" "$out/new.zarr/checked" --overwrite \
  --codecs '["bytes", {"name": "gzip", "configuration": {"level": 6}}, "crc32c"]'
show validate "$out/new.zarr"
"$tessera" read "$out/new.zarr/checked" --output "$out/checked.bin" >"$out/log"
cmp "$out/t1.bin" "$out/checked.bin"

printf '\n$ tessera view %s/t1 --axis 2 --index 94\n' "$brain"
"$tessera" view "$brain/t1" --axis 2 --index 94
"$tessera" view "$brain/t1" --axis 2 --index 94 --output "$out/slice.png"

echo
printf '%s\n' "${lines[@]}"
echo "picture  $PWD/$out/slice.png"
