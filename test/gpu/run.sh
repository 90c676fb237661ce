#!/bin/bash
# Runs the prebuilt programs of a folder on the GPU of this machine and compares every counter.
#
#   test/gpu/run.sh FOLDER OUT [measure.py's options]
#
# FOLDER as build.sh makes it; with FOLDER/tool/gpumemprof (and the libraries it needs beside it) the
# reports are made here, else `compare.py OUT --tool gpumemprof` makes them elsewhere later.
# OUT gets results.json, table.txt, captures.tar.gz and logs.tar.gz; closed.txt of closed libraries (closed.py).
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:?usage: run.sh FOLDER OUT}" && pwd)
out=${2:?usage: run.sh FOLDER OUT}
shift 2
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d) # captures are memory-mapped: keep them on a local disk

# Where the toolkit or Python's CUDA wheels keep the shared libraries.
libraries=$folder/lib${SIM:+:$SIM} # first: the CUPTI the counter was built with
for d in /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib \
  $(python3 -c 'import sys; print(*[p + "/nvidia/cu13/lib" for p in sys.path if p])' 2>/dev/null); do
  if [ -d "$d" ]; then libraries=${libraries:+$libraries:}$d; fi
done
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
echo "libraries: $LD_LIBRARY_PATH"

if [ -f "$folder/programs.json" ]; then python3 "$here/gpt2_data.py" "$work/data" ${GPT2_DATA:-}; fi
timeout 540 python3 "$here/measure.py" "$folder" "$work" "$@" # what it had by then is judged
cp "$work/results.json" "$out/"
tar -C "$work" -czf "$out/captures.tar.gz" captures
tar -C "$work" -czf "$out/logs.tar.gz" logs
status=0
if [ -x "$folder/tool/gpumemprof" ]; then
  LD_LIBRARY_PATH=$folder/tool python3 "$here/compare.py" "$work" --tool "$folder/tool/gpumemprof" |
    tee "$out/table.txt"
  status=${PIPESTATUS[0]}
fi
if [ -x "$folder/bin/calls-clang/closed" ] && [ -x "$folder/tool/gpumemprof" ]; then
  LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$folder/tool timeout 200 python3 "$here/closed.py" "$folder" "$work/closed" \
    --tool "$folder/tool/gpumemprof" | tee "$out/closed.txt"
  [ "${PIPESTATUS[0]}" = 0 ] || status=1
fi
rm -r "$work"
exit "$status"
