// Fuzzes the reading of judgments and runs from text. Every input is scanned in one range and in
// small ones, and both have to find what the plain re-implementation finds.
//
// Input: three bytes of options, then judgments and run with a byte 0xff between them, as text or
// (for deep states in few bytes) as numbers that stand for rows.
#include "plain.hpp"

#include <atomic>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

using namespace rankstone;
using std::string;

namespace {

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

// A file in memory, the same for all inputs.
FileSource file_of(std::string_view text) {
    static const int descriptor = memfd_create("run", 0);
    const auto size = static_cast<ssize_t>(text.size());
    require(pwrite(descriptor, text.data(), text.size(), 0) == size && !ftruncate(descriptor, size),
            "writing to memory");
    return FileSource(descriptor);
}

constexpr std::size_t most_judgments = 40, most_rows = 64;  // of those that numbers stand for

string doc_name(int i) {
    static const char* forms[] = {"d", "document-", "\xc3\xa9-with-a-longer-name-", ""};
    return forms[i % 4] + std::to_string(i);
}

string judgments_of(std::string_view bytes) {
    static const char* grades[] = {"0", "1", "2", "-1", "0.5", "-0", "3e0", "1"};
    string text;
    for (std::size_t i = 0; i + 1 < bytes.size() && i < 2 * most_judgments; i += 2) {
        const int a = static_cast<unsigned char>(bytes[i]);
        const int b = static_cast<unsigned char>(bytes[i + 1]);
        text += std::to_string(b >> 6) + " 0 " + doc_name(a & 127) + " " + grades[b & 7];
        text += b & 8 ? "\r\n" : "\n";
        if (b & 16) text += " \n";
    }
    return text;
}

string run_of(std::string_view bytes) {
    static const char* scores[] = {"1", "2", "1.0", "-1",   "0",    "-0",     "1e-3", "1e39",
                                   "3", "4", "5",   "1e38", ".001", "2.0000", "-1e39", "1e400"};
    string text;
    for (std::size_t i = 0; i + 2 < bytes.size() && i < 3 * most_rows; i += 3) {
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

// Where the rows start: at 0, or after a header of one line.
std::size_t rows_begin(std::string_view text, bool header) {
    return header ? std::min(text.find('\n'), text.size() - 1) + 1 : 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const int options = bytes.next(), ranges = bytes.next(), seldom = bytes.next();
    const bool float32 = options & 1, numbers = options & 4, repeats = seldom & 1;
    fuzz_hash_mask = options & 8 ? weak_hash_mask : ~std::uint64_t{0};
    const std::size_t range_size = (1 + static_cast<std::size_t>(ranges) % 64) * (numbers ? 8 : 1);
    // Threads and files cost a hundred times what most inputs do.
    const bool threads = seldom >> 3 == 31, file = seldom >> 3 == 30;

    const int shape = ranges >> 6;
    const RowLayout judged_layout =
        shape == 1   ? RowLayout{4, 0, 2, 3, -1, Reading::atol, false}
        : shape == 2 ? RowLayout{3, 0, 1, 2, -1, Reading::number, false}
                     : RowLayout{4, 0, 2, 3, -1, Reading::number, false, 1};
    const int rank = options & 32 ? -1 : 3;
    const RowLayout layout = shape == 1   ? RowLayout{6, 0, 2, 4, rank, Reading::atof, true}
                             : shape == 2 ? RowLayout{3, 0, 1, 2, -1, Reading::rank, false}
                             : shape == 3 ? RowLayout{5, 0, 2, 4, 3, Reading::number, true}
                                          : RowLayout{6, 0, 2, 4, rank, Reading::number, false};

    const std::string_view rest = bytes.rest();
    const std::size_t cut = std::min(rest.find('\xff'), rest.size());
    string qrels(rest.substr(0, cut)), run(rest.substr(std::min(cut + 1, rest.size())));
    if (numbers) {
        qrels = judgments_of(qrels);
        run = run_of(run);
    }

    std::size_t first = rows_begin(qrels, seldom & 2);
    const int workers = 1 + static_cast<int>(qrels.size() % 4);
    JudgmentScan judged = JudgmentScanner(Padded(qrels).view(), judged_layout, first, workers).scan();
    plain::Judgments judgments = plain::judgments(qrels, judged_layout, first);
    plain::require_same(judged, judgments);
    if (judged.fault.fault != Fault::none) {
        // The run is read beside others, since there is no reading beside none.
        const RowLayout four{4, 0, 2, 3, -1};
        qrels = "1 0 d0 1\n1 0 d4 0\n2 0 d0 1\nq 0 d 1\n";
        judged = JudgmentScanner(qrels, four).scan();
        judgments = plain::judgments(qrels, four, 0);
    }
    const Index index = plain::index_of(judged);

    first = rows_begin(run, seldom & 4);
    const plain::Run wanted = plain::run(run, judgments, layout, float32, repeats, first);
    const std::size_t mark = !first && run.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : first;
    const auto check = [&](const Source& source, int workers, std::size_t range) {
        std::atomic<std::int64_t> done{0};
        const RunScan found = RunScanner(source, run.size(), layout, index, float32, workers, range,
                                         &done, first, repeats)
                                  .scan();
        plain::require_same(found, wanted);
        if (found.fault.fault == Fault::none)
            require(done == static_cast<std::int64_t>(run.size() - mark), "progress");
    };
    const MemorySource memory(run);
    check(memory, 1, ~std::size_t{0});
    if (threads)
        check(YieldingSource(run), 2, range_size);
    else if (file)
        check(file_of(run), 1, range_size);
    else
        check(memory, 1, range_size);

    if (options & 16 && !run.empty()) {
        const auto kept = run.size() * static_cast<std::size_t>(shape) / 4;
        try {
            check(ShrinkingSource(run, kept, options >> 6), threads ? 2 : 1, range_size);
        } catch (const std::runtime_error&) {
        }
    }
    return 0;
}
