#!/usr/bin/env bash
# release.sh - makes the files of a release and checks them: the source archive, .tar.gz, .deb, .rpm, the recipes of packaging/ filled in for that source
# archive, and SHA256SUMS. The version is that of CMakeLists.txt. A release is of a commit that passed `.ci/run --full`.
#
#   scripts/release.sh [--build BUILD] [--out DIR] [--url URL] [KIND...]
#     --build BUILD  a build to take (default: build-release/, which is built first)
#     --out DIR      where the files go (default: dist/)
#     --url URL      the folder on the web from which recipes get the source archive (default: DIR itself)
#     KIND           source, tgz, deb, rpm, recipes; without any, all of them
#
# BUILD and DIR are relative to the folder in which it is called; both defaults are folders of the project.
# Exit status: 0 when all files were made and are as they should be, 1 when one is not, 2 when one could not be made.
set -euo pipefail

fail() { echo "release.sh: $*" >&2; exit 1; }
cannot() { echo "release.sh: $*" >&2; exit 2; }
# value OPTION [VALUE]
value() { [ -n "${2:-}" ] || cannot "$1 needs a value; \`scripts/release.sh --help\` lists what it takes"; printf '%s\n' "$2"; }

project=$(dirname "$(dirname "$(realpath "$0")")")
build= out=$project/dist url= kinds=()
while [ $# -gt 0 ]; do
  case "$1" in
    --build) build=$(value "$@"); shift ;;
    --out) out=$(value "$@"); shift ;;
    --url) url=$(value "$@"); shift ;;
    source | tgz | deb | rpm | recipes) kinds+=("$1") ;;
    -h | --help) sed -n '2,/^set /s/^# \{0,1\}//p' "$project/scripts/release.sh"; exit ;;
    *) cannot "cannot use '$1'; \`scripts/release.sh --help\` lists what it takes" ;;
  esac
  shift
done
[ -z "$build" ] || [ -e "$build/CPackConfig.cmake" ] || cannot "$build is not a build of gpumemprof: it has no CPackConfig.cmake"
[ -z "$build" ] || build=$(realpath "$build")
[ ${#kinds[@]} -gt 0 ] || kinds=(source tgz deb rpm recipes)
mkdir -p "$out" || cannot "$out cannot be made"
out=$(realpath "$out")
cd "$project"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^project(gpumemprof VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
abi=$(sed -n 's/^#define GPUMEMPROF_ABI_VERSION //p' include/gpumemprof/hooks.h)
name=gpumemprof-$version
source=$out/$name.tar.gz
url=${url:-file://$out}

# run COMMAND...: shows what it printed if it fails.
run() { "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; cannot "'$*' failed"; }; }

make_build() {
  if [ -n "$build" ]; then
    grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release$' "$build/CMakeCache.txt" ||
      echo "release.sh: $build was not configured with -DCMAKE_BUILD_TYPE=Release, so its packages have debug information and are larger"
    return
  fi
  build=$PWD/build-release
  echo "release.sh: building in $build"
  run cmake --preset default -B "$build" -DCMAKE_BUILD_TYPE=Release -DGPUMEMPROF_TESTS=OFF -DCMAKE_INSTALL_LIBDIR=lib -DGPUMEMPROF_PAGE=ON
  run cmake --build "$build" -j "$(nproc)"
}

# with_libraries_in FOLDER: a build whose packages have it. A change compiles one file.
with_libraries_in() {
  grep -q "^CMAKE_INSTALL_LIBDIR:[A-Z]*=$1\$" "$build/CMakeCache.txt" && return
  run cmake -DCMAKE_INSTALL_LIBDIR="$1" "$build"
  run cmake --build "$build" -j "$(nproc)"
}

# needs COMMAND...: those that read a package.
needs() {
  local command
  for command in "$@"; do
    type "$command" >"$work/log" 2>&1 || cannot "'$command' is not installed, and a package is checked by it"
  done
}

# pack GENERATOR SUFFIX: the package is then $package.
pack() {
  run cpack -G "$1" --config "$build/CPackConfig.cmake" -B "$work/packed"
  package=$(find "$work/packed" -maxdepth 1 -name "*$2")
  [ -n "$package" ] || cannot "cpack -G $1 made no file *$2"
  mv "$package" "$out/"
  package=$out/${package##*/}
}

# ---- one function for each kind ----

make_source() {
  local changes
  changes=$(git status --porcelain --untracked-files=no 2>&1) || cannot "git does not know this folder, of which the source archive is made: $changes"
  [ -z "$changes" ] || cannot "there are changes that are not committed; the source archive is of HEAD"
  [ -e "$build/viewer/page.html" ] || cannot "$build has no viewer/page.html, which the archive contains; build it where Node.js is (GPUMEMPROF_PAGE=ON)"
  git archive --format=tar --prefix="$name/" -o "$work/$name.tar" HEAD
  mkdir -p "$work/$name/viewer"
  cp "$build/viewer/page.html" "$work/$name/viewer/"
  tar --append --file="$work/$name.tar" --directory="$work" --owner=0 --group=0 --mtime="@$(git log -1 --format=%ct)" "$name/viewer/page.html"
  gzip -n9 <"$work/$name.tar" >"$source"
  tar -tzf "$source" >"$work/list"
  check_list "$source" "$name/CMakeLists.txt" "$name/viewer/page.html" "$name/python/pyproject.toml" "$name/LICENSE"
  mkdir "$work/source"
  tar -xzf "$source" -C "$work/source"
  run cmake -S "$work/source/$name" -B "$work/configured" -DGPUMEMPROF_TESTS=OFF
}

make_tgz() {
  with_libraries_in lib
  pack TGZ .tar.gz
  tar -tzf "$package" | sed 's:^[^/]*/::' >"$work/list"
  check_package lib
  mkdir "$work/tgz"
  tar -xzf "$package" -C "$work/tgz" --strip-components=1
  check_versions "$work/tgz" lib
}

make_deb() {
  needs dpkg-deb
  with_libraries_in lib
  pack DEB .deb
  dpkg-deb -c "$package" | sed 's:.* \./usr/::; s: -> .*::' >"$work/list"
  check_package lib
  [ "$(dpkg-deb -f "$package" Version)" = "$version" ] || fail "$package is not of version $version"
  dpkg-deb -x "$package" "$work/deb"
  check_versions "$work/deb/usr" lib
}

make_rpm() {
  needs rpmbuild rpm rpm2cpio cpio
  with_libraries_in lib64
  pack RPM .rpm
  rpm -qlp "$package" 2>"$work/log" | sed 's:^/usr/::' >"$work/list"
  check_package lib64
  [ "$(rpm -qp --queryformat '%{VERSION}' "$package" 2>"$work/log")" = "$version" ] || fail "$package is not of version $version"
  mkdir "$work/rpm"
  rpm2cpio "$package" | (cd "$work/rpm" && cpio -idm --quiet)
  check_versions "$work/rpm/usr" lib64
}

make_recipes() {
  [ -e "$source" ] || cannot "the recipes have the checksum of $source, which is not there; make the kind 'source', too"
  local sum file
  sum=$(sha256sum "$source" | cut -d' ' -f1)
  (cd packaging && find spack conda -type f) | while read -r file; do
    mkdir -p "$out/$(dirname "$file")"
    sed "s|@VERSION@|$version|g; s|@SHA256@|$sum|g; s|@URL@|$url/$name.tar.gz|g" "packaging/$file" >"$out/$file"
    ! grep -n '@[A-Z0-9]*@' "$out/$file" >&2 || fail "something in $out/$file was not filled in"
  done
}

# ---- checks ----

# check_list FILE ENTRY...: the entries are in $work/list.
check_list() {
  local file=$1 entry
  shift
  for entry in "$@"; do
    grep -qxF -e "$entry" "$work/list" || fail "$file has no $entry"
  done
}

check_package() {
  check_list "$package" bin/gpumemprof "$1/libgpumemprof.so" "$1/libgpumemprof.so.$abi" "$1/libgpumemprof.a" "$1/libgpumemprof-read.so" \
    "$1/gpumemprof.so" "$1/gpumemprof/gpumemprof.so" "$1/gpumemprof/sim/libcudart.so.13" "$1/cmake/gpumemprof/gpumemprof-everything.cmake" \
    "$1/pkgconfig/gpumemprof.pc" include/gpumemprof/gpumemprof.h lib/python3/dist-packages/gpumemprof/__init__.py \
    share/man/man1/gpumemprof.1 share/man/man1/gpumemprof-report.1 share/man/man3/gpumemprof.3 share/bash-completion/completions/gpumemprof \
    share/zsh/site-functions/_gpumemprof share/fish/vendor_completions.d/gpumemprof.fish \
    share/gpumemprof/examples/train.cu share/gpumemprof/examples/rmm_adaptor.hpp share/doc/gpumemprof/LICENSE
}

# check_versions PREFIX LIBRARIES: every part of an unpacked package says the same version.
check_versions() {
  local said
  needs pkg-config python3
  said="$("$1/bin/gpumemprof" --version)
gpumemprof $(PKG_CONFIG_PATH=$1/$2/pkgconfig pkg-config --modversion gpumemprof)
gpumemprof $(PKG_CONFIG_PATH=$1/$2/pkgconfig pkg-config --modversion gpumemprof-read)
gpumemprof $(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' "$1/$2/cmake/gpumemprof/gpumemprof-config-version.cmake")
gpumemprof $(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$1/lib/python3/dist-packages python3 -c 'import gpumemprof._libraries as l; print(l.reader().gpumemprof_read_version().decode())')
gpumemprof $(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$1/lib/python3/dist-packages python3 -c 'import gpumemprof; print(gpumemprof.__version__)')"
  [ "$(sort -u <<<"$said")" = "gpumemprof $version" ] || fail "parts of $package are not of version $version:"$'\n'"$said"
}

make_build
libraries=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p' "$build/CMakeCache.txt")
for kind in "${kinds[@]}"; do
  "make_$kind"
  echo "release.sh: $kind is made and checked"
done
with_libraries_in "$libraries" # as it was
(cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS)
echo "release.sh: $(wc -l <"$out/SHA256SUMS") files of version $version are in $out"
