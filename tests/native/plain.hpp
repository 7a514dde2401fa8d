// What the core does, done again as plainly as possible: the fuzz targets compare the two.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzzing.hpp"
#include "match_columns.hpp"
#include "scan_run.hpp"

// As in the copy of the core that fuzz.sh makes.
#ifndef MOST_UNJUDGED
#define MOST_UNJUDGED (std::size_t{1} << 20)
#define MOST_NAMED (std::size_t{1} << 16)
#define SAMPLED_QUERIES 32
#define SAMPLED_DOCS 256
#endif

namespace plain {

using namespace rankstone;
using std::string;
using std::string_view;

inline bool digit(char c) { return c >= '0' && c <= '9'; }

// ---- Numbers. ----

inline Number number(string_view text, double& value) {
    std::size_t i = 0, digits = 0;
    const auto at = [&](std::size_t k) { return k < text.size() ? text[k] : '\0'; };
    if (at(i) == '+' || at(i) == '-') ++i;
    const string_view word = text.substr(i);
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
        value = std::strtod(string(text).c_str(), nullptr);
        return std::isfinite(value) ? Number::fine : Number::not_finite;
    }
    string lower;
    for (char c : word) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower == "nan" || lower == "inf" || lower == "infinity" ? Number::not_finite
                                                                     : Number::not_a_number;
}

// What C's atof and atol make of a text, with NaN refused.
inline Number reading(Reading way, string_view text, double& value) {
    if (way == Reading::number) return number(text, value);
    if (way == Reading::rank) {
        const Number found = number(text, value);
        value = 0.0 - value;
        return found;
    }
    if (way == Reading::atof) {
        value = std::strtod(string(text).c_str(), nullptr);
        return std::isnan(value) ? Number::not_finite : Number::fine;
    }
    if (text.find_first_of("0123456789") == string_view::npos &&
        number(text, value) == Number::not_finite)
        return Number::not_finite;
    value = static_cast<double>(std::strtoll(string(text).c_str(), nullptr, 10));
    return Number::fine;
}

// A whole number of at most nine digits, else -1.
inline std::int64_t rank(string_view text) {
    if (text.empty() || text.size() > 9 || !std::all_of(text.begin(), text.end(), digit)) return -1;
    return std::atoll(string(text).c_str());
}

// ---- Lines. ----

struct Row {
    std::vector<string_view> fields;
    double value = 0;
    bool commented = false;
};

// Calls f(offset, line with its newline) until it returns false.
template <typename F>
void each_line(string_view text, std::size_t first, F&& f) {
    std::size_t at = first                               ? std::min(first, text.size())
                     : text.substr(0, 3) == "\xef\xbb\xbf" ? 3
                                                           : 0;
    while (at < text.size()) {
        const std::size_t newline = text.find('\n', at);
        const std::size_t next = newline == string_view::npos ? text.size() : newline + 1;
        if (!f(at, text.substr(at, next - at))) return;
        at = next;
    }
}

inline bool read(string_view line, const RowLayout& layout, Row& row, FaultReport& fault) {
    string_view body = line;
    if (body.ends_with('\n')) body.remove_suffix(1);
    const string_view shown = body.substr(0, 64);
    if (body.ends_with('\r')) body.remove_suffix(1);
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
    row.fields.clear();
    row.commented = false;
    for (std::size_t i = 0; i < body.size();) {
        const std::size_t begin = std::min(body.find_first_not_of(" \t", i), body.size());
        i = std::min(body.find_first_of(" \t", begin), body.size());
        if (begin < i) row.fields.push_back(body.substr(begin, i - begin));
    }
    if (row.fields.empty()) return true;
    const auto wanted = static_cast<std::size_t>(layout.columns), count = row.fields.size();
    const bool fits = count == wanted || (layout.more && count > wanted);
    const auto v = static_cast<std::size_t>(layout.value);
    if (row.fields[0][0] == '#') {
        row.commented =
            fits && reading(layout.reading, row.fields[v], row.value) == Number::fine;
        row.fields.clear();
        return true;
    }
    if (!fits) {
        fault = {Fault::field_count, 0, 0, static_cast<int>(count), string(shown)};
        return false;
    }
    const Number found = reading(layout.reading, row.fields[v], row.value);
    if (found == Number::fine) return true;
    fault = {found == Number::not_finite ? Fault::not_finite : Fault::not_a_number, 0,
             static_cast<std::size_t>(row.fields[v].data() - line.data()), layout.value,
             string(row.fields[v].substr(0, 64))};
    return false;
}

// ---- Judgments. ----

struct Judged {
    string_view query, doc;
    double grade;
};

struct Judgments {
    FaultReport fault;
    std::vector<string_view> queries;
    std::vector<std::vector<std::pair<string_view, double>>> docs;  // of each query
    std::int64_t commented = 0, repeated = 0, contradicting = 0;
    std::pair<string, string> repeated_example, contradicting_example;
    std::vector<string_view> iterations;
};

// Groups rows by query: in numeric order where all ids are whole numbers, else in byte order.
inline void group(const std::vector<Judged>& rows, Judgments& out) {
    std::map<string_view, std::vector<std::pair<string_view, std::vector<double>>>> given;
    bool numeric = true;
    for (const Judged& row : rows) {
        numeric = numeric && std::all_of(row.query.begin(), row.query.end(), digit);
        auto& docs = given[row.query];
        auto doc = std::find_if(docs.begin(), docs.end(),
                                [&](const auto& d) { return d.first == row.doc; });
        if (doc == docs.end()) doc = docs.insert(docs.end(), {row.doc, {}});
        doc->second.push_back(row.grade);
    }
    for (const auto& [query, docs] : given) out.queries.push_back(query);
    const auto value = [](string_view id) {
        while (id.starts_with('0')) id.remove_prefix(1);
        return std::pair(id.size(), id);
    };
    if (numeric)
        std::stable_sort(out.queries.begin(), out.queries.end(),
                         [&](string_view a, string_view b) { return value(a) < value(b); });
    std::set<std::pair<string_view, string_view>> again, against;
    for (const string_view query : out.queries) {
        out.docs.emplace_back();
        for (const auto& [doc, grades] : given[query]) {
            double top = grades[0];
            for (double grade : grades)
                if (grade > top) top = grade;
            out.docs.back().push_back({doc, top});
            const auto tops = std::count(grades.begin(), grades.end(), top);
            const auto others = static_cast<std::int64_t>(grades.size()) - tops;
            out.repeated += tops - 1;
            out.contradicting += others;
            if (tops > 1) again.insert({query, doc});
            if (others) against.insert({query, doc});
        }
    }
    if (!again.empty()) out.repeated_example = *again.begin();
    if (!against.empty()) out.contradicting_example = *against.begin();
}

inline Judgments judgments(string_view text, const RowLayout& layout, std::size_t first) {
    Judgments out;
    std::vector<Judged> rows;
    Row row;
    each_line(text, first, [&](std::size_t at, string_view line) {
        if (!read(line, layout, row, out.fault)) {
            out.fault.line_begin = at;
            return false;
        }
        out.commented += row.commented;
        if (row.fields.empty()) return true;
        if (layout.iteration >= 0) {
            const string_view value = row.fields[static_cast<std::size_t>(layout.iteration)];
            const auto& known = out.iterations;
            if (known.size() < most_iterations &&
                std::find(known.begin(), known.end(), value) == known.end())
                out.iterations.push_back(value);
        }
        rows.push_back({row.fields[0], row.fields[static_cast<std::size_t>(layout.doc)], row.value});
        return true;
    });
    if (out.fault.fault == Fault::none) group(rows, out);
    return out;
}

// ---- Runs. ----

struct Ranked {
    string_view doc;
    double score;
    std::int64_t rank;  // -1 where it is not a whole number
};

struct Query {
    bool present = false;
    Placement placement;
    std::vector<Match> matches;
};

struct Run {
    FaultReport fault;
    std::uint64_t rows = 0;
    std::int64_t commented = 0;
    std::vector<Query> queries;
    DocsByQuery samples;
    std::size_t unjudged_queries = 0;
    bool unjudged_capped = false;
    std::vector<string> unjudged_sample;
};

inline Query place(const std::vector<Ranked>& rows, const std::map<string_view, std::int64_t>& judged,
                   bool repeats) {
    Query out;
    out.present = true;
    Placement& placement = out.placement;
    if (std::all_of(rows.begin(), rows.end(), [](const Ranked& row) { return row.rank >= 0; }))
        for (const auto& a : rows)
            for (const auto& b : rows)
                if (a.rank < b.rank && a.score < b.score) placement.rank_disagrees = true;
    std::map<string_view, std::size_t> best;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        kept.push_back(i);
        const auto [found, fresh] = best.insert({rows[i].doc, i});
        if (fresh) continue;
        if (placement.duplicates++ == 0 || rows[i].doc < placement.duplicate)
            placement.duplicate = rows[i].doc;
        if (rows[i].score > rows[found->second].score) found->second = i;
    }
    if (!repeats)
        std::erase_if(kept, [&](std::size_t i) { return best.at(rows[i].doc) != i; });
    placement.retrieved = static_cast<std::uint32_t>(kept.size());
    for (const std::size_t i : kept) {
        const auto judgment = judged.find(rows[i].doc);
        if (judgment == judged.end()) continue;
        Match match{rows[i].score, i, static_cast<std::uint32_t>(judgment->second), 0, 0, 0, 0, 0};
        for (const std::size_t j : kept) {
            match.above += rows[j].score > match.score;
            if (rows[j].score != match.score) continue;
            ++match.tied;
            match.greater += rows[j].doc > rows[i].doc;
            match.earlier += j < i;
        }
        out.matches.push_back(match);
    }
    std::stable_sort(out.matches.begin(), out.matches.end(), [](const Match& a, const Match& b) {
        return a.judgment != b.judgment ? a.judgment < b.judgment : a.score > b.score;
    });
    return out;
}

// Places the rows of each query. Of those in which judged documents are missing, some unjudged ones
// are sampled.
inline void match(const std::map<string_view, std::vector<Ranked>>& given, const Judgments& judgments,
                  bool repeats, Run& out) {
    auto of_query = given;
    out.queries.resize(judgments.queries.size());
    std::int64_t judgment = 0;
    std::vector<std::pair<std::size_t, std::vector<string_view>>> incomplete;
    for (std::size_t q = 0; q < judgments.queries.size(); ++q) {
        std::map<string_view, std::int64_t> judged;
        for (const auto& [doc, grade] : judgments.docs[q]) judged[doc] = judgment++;
        const auto rows = of_query.find(judgments.queries[q]);
        if (rows == of_query.end()) continue;
        out.queries[q] = place(rows->second, judged, repeats);
        std::set<string_view> found;
        std::vector<string_view> others;
        for (const auto& row : rows->second) {
            if (judged.count(row.doc))
                found.insert(row.doc);
            else if (others.size() < SAMPLED_DOCS)
                others.push_back(row.doc);
        }
        if (found.size() < judged.size()) incomplete.push_back({q, others});
        of_query.erase(rows);
    }
    const std::size_t step = (incomplete.size() + SAMPLED_QUERIES - 1) / SAMPLED_QUERIES;
    for (std::size_t i = 0; i < incomplete.size(); i += step)
        out.samples.add(incomplete[i].first, incomplete[i].second, SAMPLED_DOCS);
    std::set<std::uint64_t> hashes;
    for (const auto& [query, rows] : of_query) {
        hashes.insert(hash_id(Padded(query).begin(), query.size()));
        if (out.unjudged_sample.size() < MOST_NAMED) out.unjudged_sample.emplace_back(query);
    }
    // With a weakened hash, hashes are what is counted.
    const bool weak = fuzz_hash_mask != ~std::uint64_t{0};
    const std::size_t unjudged = weak ? hashes.size() : of_query.size();
    out.unjudged_queries = std::min<std::size_t>(unjudged, MOST_UNJUDGED);
    out.unjudged_capped = unjudged > MOST_UNJUDGED;
}

inline Run run(string_view text, const Judgments& judgments, const RowLayout& layout, bool float32,
               bool repeats, std::size_t first) {
    Run out;
    std::map<string_view, std::vector<Ranked>> of_query;
    std::uint64_t count = 0;
    std::int64_t commented = 0;
    Row row;
    each_line(text, first, [&](std::size_t at, string_view line) {
        if (!read(line, layout, row, out.fault)) {
            out.fault.line_begin = at;
            return false;
        }
        commented += row.commented;
        if (row.fields.empty()) return true;
        ++count;
        const auto written = layout.rank < 0 ? -1 : rank(row.fields[static_cast<std::size_t>(layout.rank)]);
        of_query[row.fields[0]].push_back({row.fields[static_cast<std::size_t>(layout.doc)],
                                           float32 ? static_cast<float>(row.value) : row.value,
                                           written});
        return true;
    });
    if (out.fault.fault != Fault::none) return out;
    out.rows = count;
    out.commented = commented;
    match(of_query, judgments, repeats, out);
    return out;
}

// ---- Comparison. ----

inline void require_same(const FaultReport& a, const FaultReport& b) {
    require(a.fault == b.fault, "fault kind");
    require(a.line_begin == b.line_begin, "fault line");
    require(a.column == b.column, "fault column");
    require(a.field == b.field, "fault field");
    require(a.text == b.text, "fault text");
}

inline void require_same(const JudgmentScan& a, const Judgments& b) {
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
    require(a.repeated.count == b.repeated, "repeated judgments");
    require(a.contradicting.count == b.contradicting, "contradicting judgments");
    require(a.repeated.example == b.repeated_example, "example of a repeated judgment");
    require(a.contradicting.example == b.contradicting_example, "example of a contradiction");
    require(std::equal(a.iterations.begin(), a.iterations.end(), b.iterations.begin(),
                       b.iterations.end()),
            "iterations");
}

// Compares what became of the queries; `found` is a RunScan or a ColumnRun.
template <typename Found>
void require_same_outcomes(const Found& found, const Run& b) {
    require(found.unjudged.count() == b.unjudged_queries, "unjudged queries");
    require(found.unjudged.capped() == b.unjudged_capped, "cap on unjudged queries");
    if (fuzz_hash_mask == ~std::uint64_t{0})
        require(found.unjudged.sample() == b.unjudged_sample, "sample of unjudged queries");
    require(found.samples.queries == b.samples.queries, "sampled queries");
    require(found.samples.bounds == b.samples.bounds, "number of sampled documents");
    require(found.samples.docs.bytes == b.samples.docs.bytes, "sampled documents");
    require(found.samples.docs.offsets == b.samples.docs.offsets, "ends of sampled documents");
    const Outcomes& a = found.outcomes;
    require(a.queries.size() == b.queries.size(), "number of queries");
    require(a.offsets.size() == b.queries.size() + 1, "number of offsets");
    std::vector<std::vector<Match>> matches(b.queries.size());
    for (const auto& part : a.parts)
        for (std::size_t i = 0; i < part.size(); ++i) {
            require(!i || part[i].query == part[i - 1].query || matches[part[i].query].empty(),
                    "the matches of a query are together");
            matches[part[i].query].push_back(part[i]);
        }
    for (std::size_t q = 0; q < b.queries.size(); ++q) {
        const Query& own = b.queries[q];
        require(matches[q].size() == own.matches.size(), "matches of a query");
        require(a.queries[q].present == own.present, "present");
        require(a.queries[q].retrieved == own.placement.retrieved, "retrieved");
        require(a.queries[q].duplicates == own.placement.duplicates, "duplicates");
        const auto repeated = a.duplicate.find(q);
        require((repeated == a.duplicate.end() ? string() : repeated->second) == own.placement.duplicate,
                "duplicate id");
        require(a.queries[q].rank_disagrees == own.placement.rank_disagrees, "ranks disagree");
        require(a.offsets[q + 1] - a.offsets[q] == static_cast<std::int64_t>(own.matches.size()),
                "number of matches");
        auto match = matches[q].begin();
        for (const Match& wanted : own.matches) {
            require(match->judgment == wanted.judgment, "judgment");
            require(match->query == q, "query of a match");
            require(same_bits(match->score, wanted.score), "score");
            require(match->above == wanted.above, "above");
            require(match->tied == wanted.tied, "tied");
            require(match->greater == wanted.greater, "greater");
            require(match->earlier == wanted.earlier, "earlier");
            ++match;
        }
    }
}

inline void require_same(const RunScan& a, const Run& b) {
    require_same(a.fault, b.fault);
    if (a.fault.fault != Fault::none) return;
    require(a.rows == b.rows, "rows");
    require(a.commented == b.commented, "commented rows");
    require_same_outcomes(a, b);
}

// The index of judgments that were read.
inline Index index_of(JudgmentScan& scan) {
    for (IdColumn* column : {&scan.queries, &scan.docs}) column->bytes.shrink_to_fit();
    return Index(std::move(scan.queries), scan.groups, std::move(scan.docs));
}

}  // namespace plain
