#!/bin/sh
# build.sh FOLDER brings the tools of tools.sum into FOLDER, checks each by its digest, and makes the engine with them. The
# compiler is Debian 12's for amd64: another version of it writes another engine. Nothing is installed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && cd "$1" && tools=$(pwd)
fail() { echo "make quickjs: $*; the digest in infra/lab/quickjs/generated.sum is still checked by make test" >&2; exit 1; }
for tool in apt-get dpkg-deb python3 patch; do command -v $tool >/dev/null || fail "$tool is not here (the compiler comes from Debian 12)"; done
[ "$(dpkg --print-architecture)" = amd64 ] || fail "the pinned compiler is for amd64"

while read -r _ file; do
  [ -e "$file" ] && continue
  case $file in
  *.deb)
    package=${file%%_*} rest=${file#*_}
    version=$(echo "${rest%_*}" | sed 's/%3a/:/')
    apt-get download -qq "$package=$version" || fail "apt-get has no $package $version"
    ;;
  *) python3 -m pip download -q --no-deps --no-binary :all: "quickjs-ng==$(echo "$file" | sed 's/.*-\(.*\)\.tar\.gz/\1/')" ;;
  esac
done <"$here/tools.sum"
sha256sum --quiet -c "$here/tools.sum"

# clang is a script that finds its libraries, headers and linker below this folder.
rm -rf root bin && mkdir root bin
for package in *.deb; do dpkg-deb -x "$package" root; done
llvm=$tools/root/usr/lib/llvm-14
ln -s "$llvm/bin/wasm-ld" bin/wasm-ld-14
cat >bin/clang <<END
#!/bin/sh
export LD_LIBRARY_PATH=$llvm/lib:$tools/root/usr/lib/x86_64-linux-gnu PATH=$tools/bin:$llvm/bin:\$PATH
exec $llvm/bin/clang --sysroot=$tools/root/usr "\$@"
END
chmod +x bin/clang

# The archive is the one that the patches were made for.
rm -rf source && mkdir source
tar -xzf quickjs_ng-*.tar.gz -C source --strip-components 2 --wildcards '*/upstream-quickjs/*'
cp "$here"/c/*.c source && cd source
for change in "$here"/c/*.patch; do patch -p1 -s --fuzz=0 <"$change"; done
"$tools"/bin/clang --target=wasm32-wasi -O2 -mbulk-memory -msign-ext -mnontrapping-fptoint -D_GNU_SOURCE -DNDEBUG -w \
  -mexec-model=reactor -Wl,--stack-first,-z,stack-size=2097152 -Wl,--gc-sections \
  -o engine.wasm glue.c dtoa.c libregexp.c libunicode.c

engine=../../../shared/runtime/quickjs/generated.go
cd "$here" && go run . "$tools/source/engine.wasm" >"$tools/generated.go" && cp "$tools/generated.go" $engine
sha256sum $(ls *.go | grep -v _test.go) build.sh tools.sum c/* $engine >generated.sum
