// Reads one JSON object that holds the documents of each query: {query: {document: number}},
// {query: [document, ...]} or {query: [{..., document, number}, ...]}. As no query occurs twice, each is
// placed at once. What is unusual, and all that is wrong, is left to the strict reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doc_samples.hpp"
#include "json_text.hpp"
#include "outcomes.hpp"
#include "scan_judgments.hpp"
#include "source.hpp"
#include "unjudged.hpp"

namespace rankstone {

// How the documents of queries are given.
enum class ListForm : int { unknown = 0, numbers = 1, names = 2, records = 3 };

// A whole file in memory, padded by bytes that end whatever is read.
inline std::string padded_text(const Source& source, std::uint64_t size) {
    std::string text(static_cast<std::size_t>(size) + padding, '\0');
    source.read_all(0, text.data(), static_cast<std::size_t>(size));
    return text;
}

class ListReader {
  public:
    // The text is padded; `record` is how the objects of lists are written, if there are any.
    ListReader(std::string_view text, std::shared_ptr<const Record> record, Reading reading)
        : begin_(text.data()), end_(text.data() + text.size() - padding),
          record_(std::move(record)), reading_(reading) {}

    ListForm form = ListForm::unknown;

    // Calls start(query), row(document, number) and finish() for the lists; false if something is
    // unusual, or one of these says so. The number of a document that is only named is `named`.
    template <typename Start, typename Add, typename Finish>
    bool read(Start&& start, Add&& row, Finish&& finish) {
        const char* p = begin_;
        if (end_ - p >= 3 && std::memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
        const auto list = [&](const char* at) {
            Field query;
            at = *at == '"' ? read_json_id(at, query) : nullptr;
            if (!at || !start(query)) return absent();
            at = skip_json_space(at);
            if (*at != ':') return absent();
            at = read_list(skip_json_space(at + 1), row);
            return at && finish() ? at : nullptr;
        };
        p = skip_json_space(p);
        p = *p == '{' ? read_items(p + 1, '}', list) : nullptr;
        return p && skip_json_space(p) == end_ && form != ListForm::unknown;
    }

    // Calls row(document, number) for the list at p; its end, null if it is unusual.
    template <typename Add>
    const char* read_list(const char* p, Add&& row) {
        const char open = *p;
        if (open != '{' && open != '[') return nullptr;
        const char close = open == '{' ? '}' : ']';
        p = skip_json_space(p + 1);
        if (*p == close) return p + 1;
        const ListForm own = open == '{'  ? ListForm::numbers
                             : *p == '{' ? ListForm::records
                                         : ListForm::names;
        if (form == ListForm::unknown) form = own;
        if (form != own || (own == ListForm::records && !record_)) return nullptr;
        double number = 0;
        return read_items(p, close, [&](const char* at) {
            Field doc, unused;
            if (own == ListForm::records)
                at = read_object(at, end_, *record_, reading_, unused, doc, number);
            else
                at = own == ListForm::names || *at == '"' ? read_json_id(at, doc) : nullptr;
            if (at && own == ListForm::numbers) {
                at = skip_json_space(at);
                at = *at == ':' ? skip_json_space(at + 1) : nullptr;
                if (at) at = read_json_number(at, reading_, number);
            }
            return at && row(doc, number) ? at : nullptr;
        });
    }

  private:
    static const char* absent() { return nullptr; }

    // Reads what stands between commas up to a closing bracket.
    template <typename Item>
    const char* read_items(const char* p, char close, Item&& item) {
        p = skip_json_space(p);
        for (;;) {
            p = item(p);
            if (!p) return nullptr;
            p = skip_json_space(p);
            if (*p == close) return p + 1;
            if (*p != ',') return nullptr;
            p = skip_json_space(p + 1);
        }
    }

    const char* begin_;
    const char* end_;
    std::shared_ptr<const Record> record_;
    Reading reading_;
};

struct ListScan {
    bool usual = false;
    bool falls = true;  // whether the scores of each list fall
    ListForm form = ListForm::unknown;
    Outcomes outcomes;
    Unjudged unjudged;
    DocsByQuery samples;
    std::vector<std::string> words;  // queries without a digit, which may be names of something else
};

// Places the judged documents of a run: those with numbers by these, others by their places. If the
// scores of a list do not fall, what ranks its documents is for others to say.
class ListScanner {
  public:
    ListScanner(const Index& index, bool float32) : index_(index), float32_(float32) {}

    ListScan scan(std::string_view text, std::shared_ptr<const Record> record, Reading reading) {
        ListScan scan;
        scan.outcomes = Outcomes(index_.query_count());
        std::vector<const char*> lists(index_.query_count());
        std::vector<Match>& matches = scan.outcomes.parts.emplace_back();
        ListReader reader(text, std::move(record), reading);
        Placer placer(index_);
        Field id{nullptr, nullptr};
        double last = 0;
        const auto start = [&](const Field& query) {
            id = query;
            placer.rows.clear();
            return true;
        };
        const auto row = [&](const Field& doc, double number) {
            if (reader.form == ListForm::names) number = 0.0 - static_cast<double>(placer.rows.size());
            scan.falls = scan.falls && (placer.rows.empty() || number < last);
            last = number;
            placer.rows.push_back(row_of(doc, number));
            return true;
        };
        const auto finish = [&] {
            const auto query = index_.find_query(id.begin, id.size());
            if (std::none_of(id.begin, id.end, is_digit)) scan.words.emplace_back(id.begin, id.size());
            if (query == Index::absent) {
                const auto before = scan.unjudged.count();
                scan.unjudged.note(hash_id(id.begin, id.size()), {id.begin, id.size()});
                return scan.unjudged.count() > before && !placer.has_repetitions(placer.rows);
            }
            const auto q = static_cast<std::size_t>(query);
            if (scan.outcomes.queries[q].present) return false;
            lists[q] = id.end;
            std::span<Row> rows = placer.rows;
            const Placement placement = placer.place(q, rows, matches);
            scan.outcomes.set(q, placement);
            return placement.duplicates == 0;
        };
        scan.usual = reader.read(start, row, finish);
        scan.form = reader.form;
        if (!scan.usual) return scan;
        RetrievedCounts counts(index_, false);
        counts.add(matches);
        for (const std::size_t q : queries_to_sample(scan.outcomes, counts))
            scan.samples.add(q, sample_of(reader, q, lists[q]), most_sampled_docs);
        scan.outcomes.count_matches();
        return scan;
    }

  private:
    Row row_of(const Field& doc, double number) const {
        return {doc.begin, static_cast<std::uint32_t>(doc.size()), no_rank,
                hash_id(doc.begin, doc.size()),
                float32_ ? static_cast<double>(static_cast<float>(number)) : number};
    }

    // The first unjudged documents of a query, whose id ends at p.
    std::vector<std::string> sample_of(ListReader& reader, std::size_t query, const char* p) const {
        std::vector<std::string> ids;
        reader.read_list(skip_json_space(skip_json_space(p + 1) + 1), [&](const Field& doc, double) {
            const Row row = row_of(doc, 0);
            if (ids.size() < most_sampled_docs &&
                index_.find_doc(query, row.hash, row.doc, row.length) == Index::absent)
                ids.emplace_back(row.id());
            return true;
        });
        return ids;
    }

    const Index& index_;
    bool float32_;
};

// Groups judgments as a scan of text does; documents that are only named are of grade 1.
class ListJudge {
  public:
    JudgmentScan judge(std::string_view text, std::shared_ptr<const Record> record) {
        JudgmentScan scan;
        ListReader reader(text, std::move(record), Reading::number);
        std::string_view id;
        std::vector<JudgedRows> parts(1);
        const auto start = [&](const Field& query) {
            id = {query.begin, query.size()};
            parts[0].start(id);
            return true;
        };
        const auto row = [&](const Field& doc, double grade) {
            parts[0].add(id, {doc.begin, doc.size()}, reader.form == ListForm::names ? 1.0 : grade);
            return true;
        };
        const bool usual = reader.read(start, row, [] { return true; });
        const std::size_t starts = parts[0].starts();
        if (usual) JudgmentGroups(std::move(parts)).collect(scan);
        if (!usual || starts > scan.queries.size() ||
            (reader.form == ListForm::numbers && scan.repeated.count + scan.contradicting.count))
            scan.fault = {Fault::unusual, 0, 0, 0, {}};
        return scan;
    }
};

}  // namespace rankstone
