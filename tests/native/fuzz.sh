#!/bin/sh
# Fuzzes the core:  fuzz.sh [seconds] [target ...]
#
# The time is shared among the targets, one after the other. An input that makes one fail is kept in
# FUZZ_OUT (/tmp unless set). What is found on the way is lost unless FUZZ_CORPUS names a folder for it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-600}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- scan columns order json number number-strtod
cxx=${FUZZ_CXX:-clang++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work"

if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    "$cxx" -x c++ -fsanitize=fuzzer,address,undefined - -o "$work/probe" 2>"$work/log"; then
    cat "$work/log" >&2
    echo "fuzz.sh needs clang with libFuzzer: apt-get install clang libclang-rt-14-dev" \
        "(or name the compiler in FUZZ_CXX)" >&2
    exit 1
fi

# In a copy of the core the limits are small, so that small inputs reach them, the hash can be
# weakened, so that ids collide, and is the same each time. Every replacement has to take place.
cp "$here"/../../src/rankstone/_native/*.hpp "$work/"
shrink() { # file, from, to
    grep -qF "$2" "$work/$1" || { echo "fuzz.sh: '$2' is not in $1" >&2; exit 1; }
    sed -i "s|$2|$3|" "$work/$1"
}
shrink text.hpp 'longest_line = std::size_t{1} << 20' 'longest_line = 100'
shrink text.hpp 'return h ^ (h >> 29)' 'return (h ^ (h >> 29)) \& fuzz_hash_mask'
shrink text.hpp 'return (static_cast<std::uint64_t>(draw()) << 32) ^ draw()' 'return 0 * draw() + 0x243f6a8885a308d3'
shrink scan_judgments.hpp 'least_part = std::size_t{1} << 20' 'least_part = 20'
shrink scan_judgments.hpp 'least_chunk = std::size_t{1} << 14, most_chunk = std::size_t{1} << 21' \
    'least_chunk = 48, most_chunk = 96'
shrink scan_run.hpp 'std::min<std::uint64_t>(4096,' 'std::min<std::uint64_t>(32,'
shrink scan_run.hpp 'many_matches = 1 << 14, many_blocks = 64, many_rows = 512' \
    'many_matches = 2, many_blocks = 3, many_rows = 6'
shrink scan_run.hpp 'some_rows = 16' 'some_rows = 2'
shrink index.hpp 'std::size_t{1} << 16' 'std::size_t{1} << 3'
shrink index.hpp 'few = 4' 'few = 2'
shrink unjudged.hpp 'most = std::size_t{1} << 20' 'most = 6'
shrink unjudged.hpp 'most_named = std::size_t{1} << 16' 'most_named = 4'
shrink doc_samples.hpp 'most_sampled_queries = 32, most_sampled_docs = 256' \
    'most_sampled_queries = 2, most_sampled_docs = 4'
shrink tally.hpp 'block = 64, parts = 256' 'block = 4, parts = 4'
shrink tally.hpp 'key >> 56' 'key >> 62'
shrink tally.hpp 'std::array<Ranked, 64>' 'std::array<Ranked, 4>'
shrink match_columns.hpp 'step = 4096' 'step = 5'
shrink order_rows.hpp 'few = 16, most_buckets = 4096' 'few = 4, most_buckets = 16'

# Only the core guides the search, not what it is compared with.
printf 'src:*\nfun:*9rankstone*\nfun:*check*\nfun:LLVMFuzzerTestOneInput\n' >"$work/counted"
printf 'fun:*5plain*\n' >"$work/uncounted"

build() { # target, further options
    target=$1
    shift
    # Reports of comparisons cost a quarter of the time; dictionaries hold what they would find.
    "$cxx" -std=c++20 -g -O2 -Wall -Wextra -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=undefined -fno-sanitize-coverage=trace-cmp \
        -fsanitize-coverage-allowlist="$work/counted" -fsanitize-coverage-ignorelist="$work/uncounted" \
        -DMOST_UNJUDGED=6 -DMOST_NAMED=4 -DSAMPLED_QUERIES=2 -DSAMPLED_DOCS=4 \
        -I "$work" "$@" -o "$work/$target" -pthread
}

failed=""
share=$((seconds / $#))
for target in "$@"; do
    length=320
    case $target in
    number) build number "$here/fuzz_number.cpp" && length=64 ;;
    number-strtod) build number-strtod -DRANKSTONE_STRTOD "$here/fuzz_number.cpp" && length=64 ;;
    *) build "$target" "$here/fuzz_$target.cpp" ;;
    esac
    found=${FUZZ_CORPUS:-$work/corpus}/$target
    mkdir -p "$found"
    set -- "$work/$target" -max_total_time="$((share > 0 ? share : 1))" -max_len="$length" -entropic=0 \
        -rss_limit_mb=2048 -timeout=30 -artifact_prefix="${FUZZ_OUT:-/tmp}/rankstone-$target-" -print_final_stats=1
    [ "$target" = order ] || set -- "$@" -dict="$here/fuzz.dict"
    "$@" "$found" "$here/corpus/${target%-strtod}" 2>"$work/log" || failed="$failed $target"
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
    coverage=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$work/log" | tail -n 1)
    echo "$target: ${inputs:-?} inputs, coverage ${coverage:-?}, $(ls "$found" | wc -l) kept"
    case "$failed " in *" $target "*) grep -v 'NEW_FUNC\|^INFO\|^#[0-9]' "$work/log" ;; esac
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
