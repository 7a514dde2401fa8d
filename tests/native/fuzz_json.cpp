// Fuzzes the reading of JSON. Whatever the core takes for plain has to be what a strict reader,
// written here in the plainest way, finds in the text; the core may refuse anything.
//
// Input: a byte of options, then the text.
#include "fuzzing.hpp"

#include <cstdlib>
#include <optional>
#include <set>
#include <tuple>

#include "scan_lists.hpp"
#include "scan_run.hpp"

using namespace rankstone;
using std::string;

namespace plain {

struct Value {
    char kind = 0;  // of text, whole number, other number, word, list, object: " i f w [ {
    string text;
    std::vector<string> keys;
    std::vector<Value> values;
};

// A reader of JSON by its grammar; what is read of escapes is their text, which no id may hold.
class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    std::optional<Value> whole() {
        Value value;
        if (!read(value, 0)) return {};
        blanks();
        return at_ == text_.size() ? std::optional(value) : std::nullopt;
    }

  private:
    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) { return here() == c && at_ < text_.size() && ++at_; }
    void blanks() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(here()) != std::string_view::npos) ++at_;
    }
    bool digits() {
        const std::size_t from = at_;
        while (here() >= '0' && here() <= '9') ++at_;
        return at_ > from;
    }

    bool text(string& out) {
        if (!take('"')) return false;
        const std::size_t from = at_;
        while (at_ < text_.size() && here() != '"') {
            if (static_cast<unsigned char>(here()) < 0x20) return false;
            if (take('\\')) {
                if (take('u')) {
                    for (int i = 0; i < 4; ++i, ++at_)
                        if (!std::isxdigit(static_cast<unsigned char>(here()))) return false;
                    continue;
                }
                if (string("\"\\/bfnrt").find(here()) == string::npos || !here()) return false;
            }
            ++at_;
        }
        out = text_.substr(from, at_ - from);
        return take('"') && is_utf8(out);
    }

    static bool is_utf8(const string& text) {
        for (std::size_t i = 0; i < text.size();) {
            const auto byte = [&](std::size_t k) -> std::uint32_t {
                return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0;
            };
            const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) >> 5 == 6 ? 2 : byte(0) >> 4 == 14 ? 3 : byte(0) >> 3 == 30 ? 4 : 0;
            if (!size) return false;
            std::uint32_t point = size == 1 ? byte(0) : byte(0) & (0xffu >> (size + 1));
            for (std::size_t k = 1; k < size; ++k) {
                if (byte(k) >> 6 != 2) return false;
                point = point << 6 | (byte(k) & 63);
            }
            const std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
            if (point < least[size] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
            i += size;
        }
        return true;
    }

    bool read(Value& value, int depth) {
        blanks();
        if (depth > 50) return false;
        const std::size_t from = at_;
        value.kind = here();
        if (value.kind == '"') return text(value.text);
        if (take('{') || take('[')) {
            const bool object = value.kind == '{';
            blanks();
            if (take(object ? '}' : ']')) return true;
            do {
                blanks();
                if (object) {
                    value.keys.emplace_back();
                    if (!text(value.keys.back())) return false;
                    blanks();
                    if (!take(':')) return false;
                }
                value.values.emplace_back();
                if (!read(value.values.back(), depth + 1)) return false;
                blanks();
            } while (take(','));
            const std::set<string> once(value.keys.begin(), value.keys.end());
            return take(object ? '}' : ']') && once.size() == value.keys.size();
        }
        for (const string word : {"true", "false", "null"})
            if (text_.substr(at_, word.size()) == word) {
                at_ += word.size();
                value.kind = 'w';
                return true;
            }
        take('-');
        const bool zero = here() == '0';
        const std::size_t first = at_;
        if (!digits() || (zero && at_ > first + 1)) return false;
        value.kind = 'i';
        if (take('.')) {
            value.kind = 'f';
            if (!digits()) return false;
        }
        if (here() == 'e' || here() == 'E') {
            ++at_;
            value.kind = 'f';
            if (!take('-')) take('+');
            if (!digits()) return false;
        }
        value.text = text_.substr(from, at_ - from);
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

using Row = std::tuple<string, string, double>;

string id_of(const Value& value) {
    require(value.kind == '"' || value.kind == 'i', "an id is text or a whole number");
    require(!value.text.empty() && value.text.find('\\') == string::npos, "an id without escapes");
    return value.text;
}

double number_of(const Value& value) {
    require(value.kind == 'i' || value.kind == 'f', "a number");
    const double number = std::strtod(value.text.c_str(), nullptr);
    require(std::isfinite(number), "a finite number");
    return value.kind == 'i' ? number + 0.0 : number;
}

bool same(const std::vector<Row>& a, const std::vector<Row>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Row& x, const Row& y) {
        return std::get<0>(x) == std::get<0>(y) && std::get<1>(x) == std::get<1>(y) &&
               std::bit_cast<std::uint64_t>(std::get<2>(x)) == std::bit_cast<std::uint64_t>(std::get<2>(y));
    });
}

}  // namespace plain

namespace {

std::shared_ptr<const Record> record_of(int which) {
    auto record = std::make_shared<Record>();
    if (which == 0) {
        record->pieces = {"{\"q\":", ",\"d\":", ",\"s\":", "}"};
        record->roles = {Record::query, Record::doc, Record::number};
    } else if (which == 1) {
        record->pieces = {"{\"s\": ", ", \"x\": ", ", \"q\": ", ", \"d\": ", "}"};
        record->roles = {Record::number, Record::other, Record::query, Record::doc};
    } else {
        record->pieces = {"{\"d\":", ",\"s\":", "}"};
        record->roles = {Record::doc, Record::number};
    }
    return record;
}

std::string_view without_mark(std::string_view text) {
    return text.substr(0, 3) == "\xef\xbb\xbf" ? text.substr(3) : text;
}

void check_lines(const string& text, int which, std::size_t range_size) {
    const RowLayout layout{2, 0, 1, 1, -1, Reading::number, false, -1, record_of(which)};
    std::vector<plain::Row> found, wanted;
    string padded = text + string(padding, '\n');
    const auto mark = text.size() - without_mark(text).size();
    Line line;
    FaultReport fault;
    bool usual = true;
    for (const char *p = padded.data() + mark, *end = padded.data() + text.size(); usual && p < end; p = line.next) {
        usual = read_row(p, end, layout, line, fault);
        if (usual && line.count)
            found.emplace_back(string(line.field[0].begin, line.field[0].end),
                               string(line.field[1].begin, line.field[1].end), line.value);
    }
    if (usual) {
        for (std::size_t at = mark; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const std::string_view own = std::string_view(text).substr(at, end - at);
            at = end + 1;
            if (own.find_first_not_of(" \t\r") == std::string_view::npos) continue;
            const auto value = plain::Reader(own).whole();
            require(value.has_value() && value->kind == '{', "a line of strict JSON");
            const auto at_key = [&](const char* key) -> const plain::Value& {
                const auto place = std::find(value->keys.begin(), value->keys.end(), key);
                require(place != value->keys.end(), "the key");
                return value->values[static_cast<std::size_t>(place - value->keys.begin())];
            };
            wanted.emplace_back(plain::id_of(at_key("q")), plain::id_of(at_key("d")), plain::number_of(at_key("s")));
        }
        require(plain::same(found, wanted), "the rows of the lines");
    }
    const JudgmentScan judged = JudgmentScanner(text, layout).scan();
    require((judged.fault.fault == Fault::none) == usual, "judgments are read as lines are");
    if (!usual) return;
    IdColumn queries = judged.queries, docs = judged.docs;
    const Index index(queries, judged.groups, docs);
    std::atomic<std::int64_t> done{0};
    const RunScan run = RunScanner(MemorySource(text), text.size(), layout, index, false, 1, range_size, &done).scan();
    require(run.fault.fault == Fault::none && run.rows == found.size(), "all rows in any ranges");
    require(run.outcomes.offsets.back() == static_cast<std::int64_t>(judged.grades.size()), "every document is its own judgment");
}

void check_lists(const string& text) {
    string padded = text + string(padding, '\0');
    std::vector<plain::Row> found, wanted;
    string query;
    ListReader reader(padded, record_of(2), Reading::number);
    const bool usual = reader.read(
        [&](const Field& id) {
            query.assign(id.begin, id.end);
            return true;
        },
        [&](const Field& doc, double number) {
            found.emplace_back(query, string(doc.begin, doc.end), reader.form == ListForm::names ? 0.0 : number);
            return true;
        },
        [] { return true; });
    const auto value = plain::Reader(without_mark(text)).whole();
    const JudgmentScan judged = ListJudge().judge(padded, record_of(2));
    IdColumn queries, docs;
    queries.push("q", 1);
    docs.push("d", 1);
    const Index index(queries, {0, 1}, docs);
    const ListScan scan = ListScanner(index, false).scan(padded, record_of(2), Reading::number);
    if (scan.usual || judged.fault.fault == Fault::none) require(usual, "a scan is of what is read");
    if (!usual) return;
    if (!value) {  // only keys that are there twice are left to others
        require(!scan.usual && judged.fault.fault != Fault::none, "a key is there twice");
        return;
    }
    require(value->kind == '{', "an object");
    for (std::size_t q = 0; q < value->keys.size(); ++q) {
        require(!value->keys[q].empty() && value->keys[q].find('\\') == string::npos, "a query");
        const plain::Value& list = value->values[q];
        for (std::size_t i = 0; i < list.values.size(); ++i) {
            const plain::Value& item = list.values[i];
            if (list.kind == '{')
                wanted.emplace_back(value->keys[q], list.keys[i], plain::number_of(item));
            else if (item.kind == '{')
                wanted.emplace_back(value->keys[q], plain::id_of(item.values.at(0)), plain::number_of(item.values.at(1)));
            else
                wanted.emplace_back(value->keys[q], plain::id_of(item), 0.0);
        }
    }
    require(plain::same(found, wanted), "the rows of the lists");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const int options = bytes.next();
    const string text(bytes.rest());
    fuzz_hash_mask = options & 4 ? weak_hash_mask : ~std::uint64_t{0};
    check_lines(text, options & 1, 1 + static_cast<std::size_t>(options >> 3));
    check_lists(text);
    return 0;
}
