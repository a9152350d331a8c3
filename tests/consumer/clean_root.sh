#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clean_root.sh FOLDER ROOT: installs the packages of FOLDER in a Debian 12 that has a compiler, CMake and Eigen and nothing
# else, and uses them there: an example by pkg-config and by CMake, the command, a model in a text file. Needs to be root.
set -eu
folder=$1 root=$2
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null | grep -v '^#' | grep -m1 -o 'https*://[^ ]*/debian') || { echo 'no mirror in /etc/apt/sources.list*' >&2; exit 2; }
if [ ! -e "$root/usr/bin/cmake" ]; then
  rm -rf "$root"
  debootstrap --variant=minbase --include=g++,cmake,make,pkg-config,libeigen3-dev bookworm "$root" "$mirror" >"$root.log" 2>&1
fi
rm -rf "$root/trial"
mkdir -p "$root/trial"
cp "$folder"/*.deb "$root/trial"
cat >"$root/trial/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(decay LANGUAGES CXX)
find_package(revode REQUIRED)
add_executable(decay 01_decay.cpp)
target_link_libraries(decay PRIVATE revode::revode)
TEXT
cat >"$root/trial/run.sh" <<'TEXT'
set -eux
cd /trial
apt-get install -y -qq --no-install-recommends ./*.deb >apt.log
examples=/usr/share/doc/librevode-doc/examples
cp $examples/01_decay.cpp .
g++ -O1 01_decay.cpp $(pkg-config --cflags --libs revode) -o by_pkg_config
cmake -B build . >cmake.log
cmake --build build >>cmake.log
./by_pkg_config >one.txt
./build/decay >other.txt
cmp one.txt other.txt
grep 'y(2)   = 0.36787944' one.txt
revode solve lorenz | grep -i success
revode solve $examples/models/sir.ode | grep -i success
TEXT
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root http_proxy="${http_proxy-}" chroot "$root" sh /trial/run.sh
