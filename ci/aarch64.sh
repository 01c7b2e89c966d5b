#!/usr/bin/env bash
# The NEON code under emulation (Debian 12): cross-builds into build-aarch64/ and runs the tests of formats, quantizers,
# the reference, kernels and the SIMT executor; vector code must give the bits of scalar code there too.
# The sample of 2²² floats is thinned to every NARROWGATE_SAMPLE_STRIDE-th (default 61), as emulation is slow; literals,
# all codes, and the neighbourhood of every rounding decision stay whole.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++-aarch64-linux-gnu qemu-user libhwy-dev:arm64 libfmt-dev:arm64 libxxhash-dev:arm64
  libboost-context1.74-dev:arm64 libbenchmark-dev:arm64 libgomp1:arm64 libgtest-dev:arm64 libgmock-dev:arm64)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}\n' "$package" 2> /dev/null | grep -qx 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "Installing ${#missing[@]} packages: ${missing[*]}"
  sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  "${sudo[@]}" dpkg --add-architecture arm64
  "${sudo[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
fi

mkdir -p build-aarch64
# Libraries of both architectures lie under /usr; CMake takes the target's from lib/aarch64-linux-gnu.
cmake -S . -B build-aarch64 -G Ninja -DNARROWGATE_CUDA=OFF -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_FIND_ROOT_PATH=/usr -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
  "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64;-L;/" > build-aarch64/configure.log 2>&1 ||
  { cat build-aarch64/configure.log >&2; exit 2; }
cmake --build build-aarch64 --target formats_test quantize_test reference_test kernels_test simt_test

export NARROWGATE_SAMPLE_STRIDE=${NARROWGATE_SAMPLE_STRIDE:-61}
echo "The sample of 2^22 floats is thinned: every ${NARROWGATE_SAMPLE_STRIDE}th is tested."
for test in simt/simt_test reference/reference_test kernels_test quantize/quantize_test formats/formats_test; do
  qemu-aarch64 -L / "build-aarch64/kernels/$test" --gtest_brief=1
done
