#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/sundials.sh FOLDER [FLAG...]: builds the distribution's SUNDIALS with optimisation into FOLDER,
# for the processors that revode's presets compile for; -march=native as a FLAG if revode has it, too.
# Debian compiles its package without optimisation, which costs two to five times the time on small systems.
# Then: cmake --preset bench -DREVODE_SUNDIALS=FOLDER (tools/dev bench does both)
set -eu
mkdir -p "${1:?a folder}"
folder=$(cd "$1" && pwd)
shift
work=$folder/source
mkdir -p "$work/lists/partial"
cd "$work"
. /etc/os-release
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $VERSION_CODENAME main" >sources.list
apt="apt-get -q -o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::Lists=$work/lists -o APT::Sandbox::User=root"
$apt update
$apt source --download-only sundials
tar xJf sundials_*.orig.tar.xz
cmake -S sundials-*/ -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O3 -DNDEBUG -ffp-contract=off $*" \
  -DCMAKE_INSTALL_PREFIX="$folder" -DBUILD_STATIC_LIBS=OFF -DBUILD_IDAS=OFF -DBUILD_KINSOL=OFF \
  -DENABLE_KLU=ON -DKLU_INCLUDE_DIR=/usr/include/suitesparse -DKLU_LIBRARY_DIR="$(dirname "$(cc -print-file-name=libklu.so)")" \
  -DEXAMPLES_ENABLE_C=OFF -DEXAMPLES_INSTALL=OFF
cmake --build build
cmake --install build
