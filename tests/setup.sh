# Sourced by ./dev: the packages that the project needs, and the Go programs that tests compare with.
# shellcheck shell=bash disable=SC2034

build_packages=(g++ cmake ninja-build ccache pkg-config python3 python3-yaml rapidjson-dev libyaml-dev libcxxopts-dev
  libfmt-dev libboost1.81-dev zlib1g-dev libgtest-dev libgmock-dev libcurl4-openssl-dev libssl-dev libprotozero-dev)
lint_packages=(clang-format-16 clang-tidy-16)
static_packages=(libnghttp2-dev dpkg-dev)
fuzz_packages=(clang-16 libclang-rt-16-dev)
cluster_packages=(openssl util-linux python3 faketime)
python=/usr/bin/python3  # Debian's, for which python3-yaml is installed
go_needed=1.26

# Clones share the compiler's cache: paths in it are relative to the clone.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

say() { echo "dev: $*" >&2; }
die() { say "error: $*"; exit 1; }

# Installs those of the named Debian packages that are missing.
install_packages() {
  command -v dpkg-query >/dev/null || die "this needs Debian 12 (there is no dpkg here); its packages are: $*"
  local package missing=() as_root=()
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing, and installing needs root or sudo: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  local -a get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -y -q)
  { "${get[@]}" update && "${get[@]}" install --no-install-recommends "${missing[@]}"; } >&2 ||
    die "apt-get could not install: ${missing[*]}"
}

# Fails unless Go is there and new enough: Debian 12's is too old, so it is no package to install.
need_go() {
  command -v go >/dev/null || die "Go $go_needed or later is needed to build the oracle and the control plane; install it and put go on PATH"
  local have
  have=$(go env GOVERSION) && have=${have#go}
  [ "$(printf '%s\n' "$go_needed" "$have" | sort -V | head -1)" = "$go_needed" ] ||
    die "Go $go_needed or later is needed to build the oracle and the control plane; this is $have"
}

# sources_key: a hash of the files named on standard input (each ended by a NUL) and of the Go that builds them.
sources_key() {
  { go env GOVERSION GOARCH; sort -z | xargs -0 sha256sum; } | sha256sum | cut -c1-16
}

# cached_build NAME KEY COMMAND...: runs "COMMAND DIR" unless it has been run for this key; prints the folder.
cached_build() {
  local name=$1 key=$2 cache=${XDG_CACHE_HOME:-$HOME/.cache}/ksched
  shift 2
  local dir=$cache/$name-$key
  if [ ! -f "$dir/.complete" ]; then
    mkdir -p "$cache"
    # One build at a time; a second one waits and finds it done.
    exec 9>"$cache/$name.lock" && flock 9
    if [ ! -f "$dir/.complete" ]; then
      say "building $name into $dir"
      mkdir -p "$dir"
      "$@" "$dir" >&2 || die "building $name failed"
      touch "$dir/.complete"
    fi
    exec 9>&-
  fi
  echo "$dir"
}

build_oracle() { # DIR
  (cd "$root/tests/oracle" && ./build "$1/oracle" && go build -trimpath -buildvcs=false -o "$1/scenario" ./cmd/scenario)
}

# Prints the folder with the programs oracle and scenario, built if need be (4.5 minutes at first).
oracle_tools() {
  need_go
  local key
  key=$(cd "$root/tests/oracle" && find . \( -name '*.go' -o -name go.mod -o -name go.sum -o -name build \) \
    -not -name '*_test.go' -not -path './scenario/validity/*' -print0 | sources_key)
  cached_build oracle "$key" build_oracle
}

build_static_curl() { "$root/cmake/static_curl.sh" "$1"; } # DIR

# Prints the folder with the curl of the static binary, built if need be (40 seconds at first).
static_curl() {
  local key
  key=$({ sha256sum <"$root/cmake/static_curl.sh"; dpkg-query -W -f '${Version}' libssl-dev libnghttp2-dev libcurl4-openssl-dev; } |
    sha256sum | cut -c1-16)
  cached_build static-curl "$key" build_static_curl
}

# Prints the folder of the Go module k8s.io/api with every kind in JSON and in protobuf. It brings its own checksum: no
# go.mod of this project names it.
api_testdata() {
  need_go
  local module=k8s.io/api@v0.37.2 folder
  folder=$(cd / && GOFLAGS=-mod=mod go mod download -json "$module" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p') &&
    [ -d "$folder/testdata/HEAD" ] || die "go mod download $module: there is no testdata"
  echo "$folder/testdata/HEAD"
}

build_kube() { KUBE_BIN=$1 "$root/tests/e2e/cluster/build"; } # DIR

# Prints the folder with the programs of a control plane, built if need be (7 minutes at first).
kube_tools() {
  install_packages "${cluster_packages[@]}"
  need_go
  local key
  key=$(cd "$root/tests/e2e/cluster" && printf '%s\0' build go.mod go.sum programs.go | sources_key)
  cached_build kube "$key" build_kube
}
