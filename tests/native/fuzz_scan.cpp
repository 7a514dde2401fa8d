// Fuzzes the reading of judgments and runs. Every input is scanned in one range by one thread,
// in small ranges by one or two, and by a plain re-implementation written for this file; any
// difference aborts. fuzz.sh builds and runs it.
//
// Input: options, range size, then judgments and run with a byte 0xff between them, as text or
// (for deep states in few bytes) as numbers that stand for rows.
#include <cstdint>

static std::uint64_t fuzz_hash_mask = ~std::uint64_t{0};  // fuzz.sh makes hash_id apply it

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "scan_judgments.hpp"
#include "scan_run.hpp"

#ifndef MOST_UNJUDGED
#define MOST_UNJUDGED (std::size_t{1} << 20)
#endif
#ifndef MOST_NAMED
#define MOST_NAMED (std::size_t{1} << 16)
#endif
#ifndef SAMPLED_QUERIES
#define SAMPLED_QUERIES 32
#define SAMPLED_DOCS 256
#endif

using namespace rankstone;
using std::string;

namespace {

// Branches of the re-implementation are not what the fuzzer should look for.
#define UNCOUNTED __attribute__((no_sanitize("coverage")))

RowLayout qrels_layout{4, 0, 2, 3, -1};

void require(bool fine, const char* what) {
    if (fine) return;
    std::fprintf(stderr, "DIFFERENCE: %s\n", what);
    std::abort();
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// A copy that ends exactly where the padding ends, so that reading past it is seen.
struct Padded {
    explicit Padded(const string& text) : size(text.size()), bytes(new char[size + padding]) {
        std::memcpy(bytes.get(), text.data(), size);
        std::memset(bytes.get() + size, 'x', padding);
        bytes[size] = '\n';
    }
    std::string_view view() const { return {bytes.get(), size}; }
    std::size_t size;
    std::unique_ptr<char[]> bytes;
};

// ---- The plain re-implementation. ----

bool digit(char c) { return c >= '0' && c <= '9'; }

UNCOUNTED
Number plain_number(const string& text, double& value) {
    std::size_t i = 0, digits = 0;
    const auto at = [&](std::size_t k) { return k < text.size() ? text[k] : '\0'; };
    if (at(i) == '+' || at(i) == '-') ++i;
    const string word = text.substr(i);
    for (; digit(at(i)); ++i) ++digits;
    if (at(i) == '.') ++i;
    for (; digit(at(i)); ++i) ++digits;
    bool fine = digits > 0;
    if (fine && (at(i) == 'e' || at(i) == 'E')) {
        ++i;
        if (at(i) == '+' || at(i) == '-') ++i;
        fine = digit(at(i));
        while (digit(at(i))) ++i;
    }
    if (fine && i == text.size()) {
        value = std::strtod(text.c_str(), nullptr);
        return std::isfinite(value) ? Number::fine : Number::not_finite;
    }
    string lower;
    for (char c : word) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower == "nan" || lower == "inf" || lower == "infinity" ? Number::not_finite
                                                                     : Number::not_a_number;
}

// What C's atof and atol make of a text, with NaN refused.
UNCOUNTED
Number plain_reading(Reading reading, const string& text, double& value) {
    if (reading == Reading::number) return plain_number(text, value);
    if (reading == Reading::rank) {
        const Number found = plain_number(text, value);
        value = 0.0 - value;
        return found;
    }
    if (reading == Reading::atof) {
        value = std::strtod(text.c_str(), nullptr);
        return std::isnan(value) ? Number::not_finite : Number::fine;
    }
    if (plain_number(text, value) == Number::not_finite && text.find_first_of("0123456789") == string::npos)
        return Number::not_finite;
    value = static_cast<double>(std::strtoll(text.c_str(), nullptr, 10));
    return Number::fine;
}

struct PlainRow {
    std::vector<string> fields;
    double value = 0;
    bool commented = false;
};

// Lines of a text, each with its offset and its newline.
std::vector<std::pair<std::size_t, string>> plain_lines(const string& text) {
    std::vector<std::pair<std::size_t, string>> lines;
    std::size_t at = text.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;
    while (at < text.size()) {
        const std::size_t newline = text.find('\n', at);
        const std::size_t next = newline == string::npos ? text.size() : newline + 1;
        lines.push_back({at, text.substr(at, next - at)});
        at = next;
    }
    return lines;
}

UNCOUNTED
bool plain_read(const string& line, const RowLayout& layout, PlainRow& row, FaultReport& fault) {
    string body = line;
    if (!body.empty() && body.back() == '\n') body.pop_back();
    const string shown = body.substr(0, 64);
    if (!body.empty() && body.back() == '\r') body.pop_back();
    for (std::size_t i = 0; i < body.size() && i < longest_line; ++i) {
        const auto c = static_cast<unsigned char>(body[i]);
        if (c >= ' ' || c == '\t') continue;
        fault = {Fault::control_character, 0, i, c, string(1, body[i])};
        return false;
    }
    if (line.size() > longest_line) {
        fault = {Fault::long_line, 0, 0, 0, {}};
        return false;
    }
    std::vector<std::size_t> columns;
    row.fields.clear();
    bool inside = false;
    for (std::size_t i = 0; i < body.size(); ++i) {
        const bool blank = body[i] == ' ' || body[i] == '\t';
        if (!blank && !inside) {
            columns.push_back(i);
            row.fields.emplace_back();
        }
        inside = !blank;
        if (inside) row.fields.back() += body[i];
    }
    if (columns.empty()) return true;
    const auto wanted = static_cast<std::size_t>(layout.columns);
    const bool fits = columns.size() == wanted || (layout.more && columns.size() > wanted);
    if (row.fields[0][0] == '#') {
        row.commented = fits && plain_reading(layout.reading,
                                              row.fields[static_cast<std::size_t>(layout.value)],
                                              row.value) == Number::fine;
        row.fields.clear();
        return true;
    }
    if (!fits) {
        fault = {Fault::field_count, 0, 0, static_cast<int>(columns.size()), shown};
        return false;
    }
    const auto v = static_cast<std::size_t>(layout.value);
    const Number number = plain_reading(layout.reading, row.fields[v], row.value);
    if (number == Number::fine) return true;
    fault = {number == Number::not_finite ? Fault::not_finite : Fault::not_a_number, 0, columns[v],
             layout.value, row.fields[v].substr(0, 64)};
    return false;
}

struct PlainJudgments {
    FaultReport fault;
    std::vector<string> queries;
    std::vector<std::vector<std::pair<string, double>>> docs;  // of each query
    std::int64_t commented = 0, repeated = 0, contradicting = 0;
    std::pair<string, string> repeated_example, contradicting_example;
    std::vector<string> iterations;
};

UNCOUNTED
PlainJudgments plain_judgments(const string& text) {
    PlainJudgments out;
    std::map<string, std::vector<std::pair<string, std::vector<double>>>> given;
    for (const auto& [at, line] : plain_lines(text)) {
        PlainRow row;
        if (!plain_read(line, qrels_layout, row, out.fault)) {
            out.fault.line_begin = at;
            return out;
        }
        out.commented += row.commented;
        if (row.fields.empty()) continue;
        if (qrels_layout.iteration >= 0) {
            const string& value = row.fields[static_cast<std::size_t>(qrels_layout.iteration)];
            bool known = out.iterations.size() == most_iterations;
            for (const string& other : out.iterations) known = known || other == value;
            if (!known) out.iterations.push_back(value);
        }
        const string& id = row.fields[static_cast<std::size_t>(qrels_layout.doc)];
        auto& docs = given[row.fields[0]];
        auto doc = std::find_if(docs.begin(), docs.end(),
                                [&](const auto& d) { return d.first == id; });
        if (doc == docs.end()) doc = docs.insert(docs.end(), {id, {}});
        doc->second.push_back(row.value);
    }
    bool numeric = true;
    for (const auto& [query, docs] : given)
        for (char c : query) numeric = numeric && digit(c);
    std::map<std::pair<std::pair<std::size_t, string>, string>, const string*> order;
    for (const auto& [query, docs] : given) {
        string value;
        for (char c : query)
            if (numeric && (c != '0' || !value.empty())) value += c;
        order[{{value.size(), value}, query}] = &query;
    }
    std::set<std::pair<string, string>> again, against;
    for (const auto& [key, query] : order) {
        out.queries.push_back(*query);
        out.docs.emplace_back();
        for (const auto& [doc, grades] : given[*query]) {
            double top = grades[0];
            for (double grade : grades)
                if (grade > top) top = grade;
            out.docs.back().push_back({doc, top});
            std::int64_t tops = 0;
            for (double grade : grades) tops += grade == top;
            const auto others = static_cast<std::int64_t>(grades.size()) - tops;
            out.repeated += tops - 1;
            out.contradicting += others;
            if (tops > 1) again.insert({*query, doc});
            if (others) against.insert({*query, doc});
        }
    }
    if (!again.empty()) out.repeated_example = *again.begin();
    if (!against.empty()) out.contradicting_example = *against.begin();
    return out;
}

struct PlainRanked {
    string doc;
    double score;
    std::int64_t rank;  // -1 where it is not a whole number
};

struct QueryOutcome {
    bool present = false;
    Placement placement;
    std::vector<Match> matches;
};

UNCOUNTED
QueryOutcome plain_place(const std::vector<PlainRanked>& rows,
                         const std::map<string, std::int64_t>& judged) {
    QueryOutcome out;
    out.present = true;
    Placement& placement = out.placement;
    bool ranked = true;
    for (const auto& row : rows) ranked = ranked && row.rank >= 0;
    if (ranked)
        for (const auto& a : rows)
            for (const auto& b : rows)
                if (a.rank < b.rank && a.score < b.score) placement.rank_disagrees = true;
    std::map<string, std::size_t> best;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto [found, fresh] = best.insert({rows[i].doc, i});
        if (fresh) continue;
        if (placement.duplicates++ == 0 || rows[i].doc < placement.duplicate)
            placement.duplicate = rows[i].doc;
        if (rows[i].score > rows[found->second].score) found->second = i;
    }
    placement.retrieved = static_cast<std::uint32_t>(best.size());
    std::vector<std::pair<std::size_t, double>> kept;  // by id
    for (const auto& [doc, i] : best) kept.push_back({i, rows[i].score});
    for (std::size_t d = 0; d < kept.size(); ++d) {
        const auto [i, score] = kept[d];
        Match match{score, 0, 0, 0, 0, 0, 0, 0};
        for (std::size_t e = 0; e < kept.size(); ++e) {
            const auto [j, other] = kept[e];
            match.above += other > score;
            match.tied += other == score;
            match.greater += other == score && e > d;
            match.earlier += other == score && j < i;
        }
        const auto judgment = judged.find(rows[i].doc);
        if (judgment == judged.end()) continue;
        match.judgment = static_cast<std::uint32_t>(judgment->second);
        out.matches.push_back(match);
    }
    return out;
}

struct PlainRun : RunScan {
    PlainRun() = default;
    PlainRun(const RunScan& scan)
        : RunScan(scan), unjudged_queries(scan.unjudged.count()),
          unjudged_capped(scan.unjudged.capped()), unjudged_sample(scan.unjudged.sample()) {
        if (fault.fault != Fault::none) return;
        for (std::size_t q = 0; q < outcomes.present.size(); ++q) {
            QueryOutcome query;
            query.present = outcomes.present[q];
            query.placement.retrieved = static_cast<std::uint32_t>(outcomes.retrieved[q]);
            query.placement.duplicates = static_cast<std::uint32_t>(outcomes.duplicates[q]);
            query.placement.rank_disagrees = outcomes.rank_disagrees[q];
            if (outcomes.duplicate.count(q)) query.placement.duplicate = outcomes.duplicate.at(q);
            query.matches.assign(outcomes.matches.begin() + outcomes.offsets[q],
                                 outcomes.matches.begin() + outcomes.offsets[q + 1]);
            queries.push_back(query);
        }
    }

    std::vector<QueryOutcome> queries;
    std::size_t unjudged_queries = 0;
    bool unjudged_capped = false;
    std::vector<string> unjudged_sample;
};

UNCOUNTED
PlainRun plain_run(const string& text, const PlainJudgments& judgments, const RowLayout& layout,
                   bool float32) {
    PlainRun out;
    std::map<string, std::vector<PlainRanked>> of_query;
    std::uint64_t read = 0;
    std::int64_t commented = 0;
    for (const auto& [at, line] : plain_lines(text)) {
        PlainRow row;
        if (!plain_read(line, layout, row, out.fault)) {
            out.fault.line_begin = at;
            return out;
        }
        commented += row.commented;
        if (row.fields.empty()) continue;
        ++read;
        std::int64_t rank = -1;
        if (layout.rank >= 0) {
            const string& written = row.fields[static_cast<std::size_t>(layout.rank)];
            bool whole = written.size() <= 9;
            for (char c : written) whole = whole && digit(c);
            if (whole) rank = std::atoll(written.c_str());
        }
        of_query[row.fields[0]].push_back(
            {row.fields[static_cast<std::size_t>(layout.doc)],
             float32 ? static_cast<float>(row.value) : row.value, rank});
    }
    out.rows = read;
    out.commented = commented;
    out.queries.resize(judgments.queries.size());
    std::int64_t judgment = 0;
    std::vector<std::pair<std::size_t, std::vector<string>>> incomplete;  // unjudged documents
    for (std::size_t q = 0; q < judgments.queries.size(); ++q) {
        std::map<string, std::int64_t> judged;
        for (const auto& [doc, grade] : judgments.docs[q]) judged[doc] = judgment++;
        const auto rows = of_query.find(judgments.queries[q]);
        if (rows == of_query.end()) continue;
        out.queries[q] = plain_place(rows->second, judged);
        if (out.queries[q].matches.size() < judged.size()) {
            incomplete.push_back({q, {}});
            for (const auto& row : rows->second)
                if (!judged.count(row.doc) && incomplete.back().second.size() < SAMPLED_DOCS)
                    incomplete.back().second.push_back(row.doc);
        }
        of_query.erase(rows);
    }
    const std::size_t step = (incomplete.size() + SAMPLED_QUERIES - 1) / SAMPLED_QUERIES;
    for (std::size_t i = 0; i < incomplete.size(); i += step) {
        for (const string& doc : incomplete[i].second)
            out.samples.docs.push(doc.data(), doc.size());
        out.samples.queries.push_back(static_cast<std::int64_t>(incomplete[i].first));
        out.samples.bounds.push_back(static_cast<std::int64_t>(out.samples.docs.size()));
    }
    std::set<std::uint64_t> hashes;
    for (const auto& [query, rows] : of_query) {
        hashes.insert(hash_id(Padded(query).bytes.get(), query.size()));
        if (out.unjudged_sample.size() < MOST_NAMED) out.unjudged_sample.push_back(query);
    }
    // With a weakened hash, hashes are what is counted.
    const bool weak = fuzz_hash_mask != ~std::uint64_t{0};
    const std::size_t unjudged = weak ? hashes.size() : of_query.size();
    out.unjudged_queries = std::min<std::size_t>(unjudged, MOST_UNJUDGED);
    out.unjudged_capped = unjudged > MOST_UNJUDGED;
    return out;
}

// ---- Comparison. ----

void require_same(const FaultReport& a, const FaultReport& b) {
    require(a.fault == b.fault, "fault kind");
    require(a.line_begin == b.line_begin, "fault line");
    require(a.column == b.column, "fault column");
    require(a.field == b.field, "fault field");
    require(a.text == b.text, "fault text");
}

void require_same(const JudgmentScan& a, const PlainJudgments& b) {
    require_same(a.fault, b.fault);
    if (a.fault.fault != Fault::none) return;
    require(a.queries.size() == b.queries.size(), "number of judged queries");
    require(a.groups.size() == b.queries.size() + 1 && a.groups[0] == 0, "number of groups");
    require(a.grades.size() == a.docs.size(), "number of grades");
    require(a.groups.back() == static_cast<std::int64_t>(a.grades.size()), "end of groups");
    std::size_t row = 0;
    for (std::size_t q = 0; q < b.queries.size(); ++q) {
        require(a.queries.view(q) == b.queries[q], "judged query");
        require(a.groups[q + 1] - a.groups[q] == static_cast<std::int64_t>(b.docs[q].size()),
                "size of a group");
        for (const auto& [doc, grade] : b.docs[q]) {
            require(a.docs.view(row) == doc, "judged document");
            require(same_bits(a.grades[row], grade), "grade");
            ++row;
        }
    }
    require(a.commented == b.commented, "commented judgments");
    require(a.repeated == b.repeated, "repeated judgments");
    require(a.contradicting == b.contradicting, "contradicting judgments");
    require(a.repeated_example == b.repeated_example, "example of a repeated judgment");
    require(a.contradicting_example == b.contradicting_example, "example of a contradiction");
    require(a.iterations == b.iterations, "iterations");
}

void require_same(PlainRun a, PlainRun b) {
    require_same(a.fault, b.fault);
    require(a.rows == b.rows, "rows");
    require(a.commented == b.commented, "commented rows");
    require(a.unjudged_queries == b.unjudged_queries, "unjudged queries");
    require(a.unjudged_capped == b.unjudged_capped, "cap on unjudged queries");
    if (fuzz_hash_mask == ~std::uint64_t{0})
        require(a.unjudged_sample == b.unjudged_sample, "sample of unjudged queries");
    require(a.samples.queries == b.samples.queries, "sampled queries");
    require(a.samples.bounds == b.samples.bounds, "number of sampled documents");
    require(a.samples.docs.bytes == b.samples.docs.bytes, "sampled documents");
    require(a.samples.docs.offsets == b.samples.docs.offsets, "ends of sampled documents");
    require(a.queries.size() == b.queries.size(), "number of queries");
    for (std::size_t q = 0; q < a.queries.size(); ++q) {
        QueryOutcome &x = a.queries[q], &y = b.queries[q];
        require(x.present == y.present, "present");
        require(x.placement.retrieved == y.placement.retrieved, "retrieved");
        require(x.placement.duplicates == y.placement.duplicates, "duplicates");
        require(x.placement.duplicate == y.placement.duplicate, "duplicate id");
        require(x.placement.rank_disagrees == y.placement.rank_disagrees, "ranks disagree");
        require(x.matches.size() == y.matches.size(), "number of matches");
        const auto by_judgment = [](const Match& m, const Match& n) {
            return m.judgment < n.judgment;
        };
        std::sort(x.matches.begin(), x.matches.end(), by_judgment);
        std::sort(y.matches.begin(), y.matches.end(), by_judgment);
        for (std::size_t m = 0; m < x.matches.size(); ++m) {
            const Match &v = x.matches[m], &w = y.matches[m];
            require(v.judgment == w.judgment, "judgment");
            require(same_bits(v.score, w.score), "score");
            require(v.above == w.above, "above");
            require(v.tied == w.tied, "tied");
            require(v.greater == w.greater, "greater");
            require(v.earlier == w.earlier, "earlier");
        }
    }
}

void check_number(const string& text) {
    const Padded padded(text);
    double a = 0, b = 0;
    const Number native = parse_number(padded.bytes.get(), padded.bytes.get() + text.size(), a);
    const Number plain = plain_number(text, b);
    require(native == plain, "kind of number");
    if (native == Number::fine) require(same_bits(a, b), "number");
}

void check_reading(Reading reading, const string& text) {
    if (text.find('\0') != string::npos) return;
    const Padded padded(text);
    double a = 0, b = 0;
    const char* const begin = padded.bytes.get();
    const Number native = read_number(reading, begin, begin + text.size(), a);
    const Number plain = plain_reading(reading, text, b);
    require(native == plain, "kind of a lenient number");
    if (native == Number::fine) require(same_bits(a, b), "lenient number");
}

// ---- Inputs. ----

// A file that loses its end after some reads.
class ShrinkingSource final : public Source {
  public:
    ShrinkingSource(std::string_view text, std::size_t left, int reads)
        : whole_(text), rest_(text.substr(0, left)), reads_(reads) {}

    std::size_t read(std::uint64_t offset, char* into, std::size_t n) const override {
        return (reads_-- > 0 ? whole_ : rest_).read(offset, into, n);
    }

  private:
    MemorySource whole_, rest_;
    mutable std::atomic<int> reads_;
};

// Gives way at every read, so that two threads take turns even on one core.
class YieldingSource final : public Source {
  public:
    explicit YieldingSource(std::string_view text) : whole_(text) {}

    std::size_t read(std::uint64_t offset, char* into, std::size_t n) const override {
        std::this_thread::yield();
        return whole_.read(offset, into, n);
    }

  private:
    MemorySource whole_;
};

string doc_name(int i) {
    const char* forms[] = {"d", "document-", "\xc3\xa9-with-a-longer-name-", ""};
    return forms[i % 4] + std::to_string(i);
}

string judgments_of(const string& bytes) {
    static const char* grades[] = {"0", "1", "2", "-1", "0.5", "-0", "3e0", "1"};
    string text;
    for (std::size_t i = 0; i + 1 < bytes.size() && i < 2 * 150; i += 2) {
        const int a = static_cast<unsigned char>(bytes[i]);
        const int b = static_cast<unsigned char>(bytes[i + 1]);
        text += std::to_string(b >> 6) + " 0 " + doc_name(a & 127) + " " + grades[b & 7];
        text += b & 8 ? "\r\n" : "\n";
        if (b & 16) text += " \n";
    }
    return text;
}

string run_of(const string& bytes) {
    static const char* scores[] = {"1", "2", "1.0", "-1",   "0",    "-0",     "1e-3", "1e39",
                                   "3", "4", "5",   "1e38", ".001", "2.0000", "-1e39", "1e400"};
    string text;
    for (std::size_t i = 0; i + 2 < bytes.size() && i < 3 * 250; i += 3) {
        const int a = static_cast<unsigned char>(bytes[i]);
        const int b = static_cast<unsigned char>(bytes[i + 1]);
        const int c = static_cast<unsigned char>(bytes[i + 2]);
        text += a & 8 ? "unjudged-" + std::to_string(a & 31) : std::to_string(a & 7);
        text += " Q0 " + doc_name(b & 127) + " ";
        text += b & 128 ? std::to_string(c >> 4) : std::to_string(i / 3);
        text += a & 64 ? "\t" : " ";
        text += string(scores[c & 15]) + " t";
        text += a & 128 ? "\r\n" : "\n";
        if (a & 32) text += "\t\n";
    }
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const int options = data[0];
    const std::size_t range_size = 1 + data[1] % 64;
    const bool float32 = options & 1;
    // Threads cost a hundred times what most inputs do.
    const int threads = options & 2 && range_size % 16 == 0 ? 2 : 1;
    fuzz_hash_mask = options & 8 ? 0x0000000100000007ULL : ~std::uint64_t{0};
    // The upper bits of the range size, which small inputs leave unused, choose the layouts.
    const int shape = data[1] >> 6;
    const Reading readings[] = {Reading::number, Reading::atof, Reading::rank, Reading::number};
    qrels_layout = shape == 1   ? RowLayout{4, 0, 2, 3, -1, Reading::atol, false}
                   : shape == 2 ? RowLayout{3, 0, 1, 2, -1, Reading::number, false}
                                : RowLayout{4, 0, 2, 3, -1, Reading::number, false, 1};
    const RowLayout layout = shape == 2   ? RowLayout{3, 0, 1, 2, -1, readings[shape], false}
                          : shape == 3 ? RowLayout{5, 0, 2, 4, 3, readings[shape], true}
                                       : RowLayout{6, 0, 2, 4, options & 32 ? -1 : 3,
                                                readings[shape], shape == 1};
    const string rest(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::size_t cut = std::min(rest.find('\xff'), rest.size());
    string qrels = rest.substr(0, cut);
    string run = rest.substr(std::min(cut + 1, rest.size()));
    if (options & 4) {
        qrels = judgments_of(qrels);
        run = run_of(run);
    }

    for (const string* text : {&qrels, &run}) {
        string token;
        for (char c : *text + ' ') {
            if (static_cast<unsigned char>(c) > ' ') {
                token += c;
                continue;
            }
            check_number(token);
            check_reading(Reading::atof, token);
            check_reading(Reading::atol, token);
            token.clear();
        }
    }

    const Padded padded(qrels);
    JudgmentScan judgments = JudgmentScanner(padded.view(), qrels_layout).scan();
    const PlainJudgments plain = plain_judgments(qrels);
    require_same(judgments, plain);
    if (judgments.fault.fault != Fault::none) return 0;

    judgments.queries.pad();
    judgments.docs.pad();
    judgments.queries.bytes.shrink_to_fit();
    judgments.docs.bytes.shrink_to_fit();
    const Index index(std::move(judgments.queries), judgments.groups, std::move(judgments.docs));
    const MemorySource source(run);
    const auto scan = [&](const Source& from, int workers, std::size_t range) {
        std::atomic<std::int64_t> done{0};
        RunScan found =
            RunScanner(from, run.size(), layout, index, float32, workers, range, &done).scan();
        const std::size_t mark = run.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;
        if (found.fault.fault == Fault::none)
            require(done == static_cast<std::int64_t>(run.size() - mark), "progress");
        return found;
    };
    const RunScan whole = scan(source, 1, ~std::size_t{0});
    require_same(whole, plain_run(run, plain, layout, float32));
    if (threads == 1)
        require_same(whole, scan(source, 1, range_size));
    else
        require_same(whole, scan(YieldingSource(run), threads, range_size));

    if (options & 16 && !run.empty()) {
        const ShrinkingSource shrinking(run, run.size() * (data[1] >> 6) / 4, options >> 6);
        try {
            require_same(whole, scan(shrinking, threads, range_size));
        } catch (const std::runtime_error&) {
        }
    }
    return 0;
}
