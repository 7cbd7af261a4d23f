#!/usr/bin/env bash
# Builds the curl that the static binary links: http, https, HTTP/2, from the distribution's own source with its patches.
# usage: static_curl.sh DIR    leaves include/, lib/libcurl.a and lib/cmake/CURL in DIR
# Debian's own libcurl.a wants Kerberos, which has no static library.
set -euo pipefail
dir=$(realpath -m "$1")
mkdir -p "$dir"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The machine's own package sources, asked for source packages.
mkdir -p "$work/lists/partial"
apt-get indextargets --format "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \$(SITE) \$(RELEASE) \$(COMPONENT)" \
  "Created-By: Packages" "Origin: Debian" | sort -u > "$work/sources.list"
[ -s "$work/sources.list" ] || { echo "static_curl: no Debian package sources are set up here" >&2; exit 1; }
apt=(apt-get -q -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
  -o "APT::Sandbox::User=root")
"${apt[@]}" update
(cd "$work" && "${apt[@]}" source curl)
source=$(find "$work" -mindepth 1 -maxdepth 1 -type d -name 'curl-*')

off=()
for option in BUILD_CURL_EXE BUILD_SHARED_LIBS BUILD_TESTING CURL_BROTLI CURL_USE_GSSAPI CURL_USE_LIBPSL CURL_USE_LIBSSH \
  CURL_USE_LIBSSH2 CURL_ZSTD ENABLE_MANUAL USE_LIBIDN2; do
  off+=("-D$option=OFF")
done
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHTTP_ONLY=ON -DCURL_USE_OPENSSL=ON \
  -DUSE_NGHTTP2=ON -DCURL_ZLIB=ON -DENABLE_THREADED_RESOLVER=ON -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none \
  -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$dir" "${off[@]}"
cmake --build "$work/build"
cmake --install "$work/build"
