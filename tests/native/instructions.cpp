// Does one kind of work on made-up data:  instructions KIND  prints the number of rows.
// Valgrind counts the instructions of measured(); see tests/repository/test_instruction_counts.py.
#include <cstdio>
#include <random>
#include <string>

#include "scan_judgments.hpp"
#include "scan_run.hpp"

using namespace rankstone;

namespace {

constexpr int queries = 60, depth = 200, judged = 40;

std::string qrels() {
    std::string text;
    for (int q = 0; q < queries; ++q)
        for (int d = 0; d < judged; ++d)
            text += std::to_string(q) + " 0 doc" + std::to_string(q * 1000 + d * 7) + " 1\n";
    return text;
}

// Rows query by query, or with all queries taken in turns; in one query there are more.
std::string run(bool in_turns, bool one_query, int decimals) {
    std::string text;
    char score[32];
    for (int i = 0; i < queries * depth; ++i) {
        const int q = one_query ? 0 : in_turns ? i % queries : i / depth;
        const int d = one_query ? i : in_turns ? i / queries : i % depth;
        std::snprintf(score, sizeof score, "%.*f", decimals, 20.0 - 0.0013 * d);
        text += std::to_string(q) + " Q0 doc" + std::to_string(q * 1000 + d) + " " +
                std::to_string(d + 1) + " " + score + " tag\n";
    }
    return text;
}

JudgmentScan read_judgments(const std::string& text) {
    return JudgmentScanner(text, {4, 0, 2, 3, -1}).scan();
}

std::size_t matches = 0;

}  // namespace

extern "C" __attribute__((noinline)) void measured(const std::string* judgments, const Index* index,
                                                   const std::string* rows) {
    if (judgments) {
        matches = read_judgments(*judgments).grades.size();
    } else {
        const MemorySource source(*rows);
        const std::size_t range = std::size_t{1} << 16;
        RunScanner scanner(source, rows->size(), {6, 0, 2, 4, 3}, *index, false, 1, range, nullptr);
        matches = static_cast<std::size_t>(scanner.scan().outcomes.offsets.back());
    }
}

int main(int count, char** words) {
    const std::string kind = count > 1 ? words[1] : "";
    const std::string text = qrels();
    if (kind == "judgments") {
        measured(&text, nullptr, nullptr);
        std::printf("%d\n", queries * judged);
        return matches == queries * judged ? 0 : 1;
    }
    JudgmentScan scan = read_judgments(text);
    const Index index(std::move(scan.queries), scan.groups, std::move(scan.docs));
    const std::string rows = run(kind == "interleaved", kind == "one-query", kind == "tied" ? 1 : 4);
    measured(nullptr, &index, &rows);
    std::printf("%d\n", queries * depth);
    return matches ? 0 : 1;
}
