// Queries of a run that have no judgments: how many there are, and their ids, as far as those are
// kept: the smallest.
#pragma once

#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace rankstone {

class Unjudged {
  public:
    // The sample goes on past the cap, so that it does not depend on which ids came first.
    void note(std::uint64_t hash, std::string_view id) {
        if (hashes_.size() < most) {
            if (!hashes_.insert(hash).second) return;
        } else if (hashes_.count(hash)) {
            return;
        } else {
            capped_ = true;
        }
        keep(id);
    }

    // Takes what another worker found.
    void add(const Unjudged& other) {
        hashes_.insert(other.hashes_.begin(), other.hashes_.end());
        capped_ = capped_ || other.capped_;
        for (const std::string& id : other.sample_) keep(id);
    }

    std::uint64_t count() const { return hashes_.size() < most ? hashes_.size() : most; }
    bool capped() const { return capped_ || hashes_.size() > most; }
    std::vector<std::string> sample() const { return {sample_.begin(), sample_.end()}; }

  private:
    static constexpr std::size_t most = std::size_t{1} << 20;
    static constexpr std::size_t most_named = std::size_t{1} << 16;

    void keep(std::string_view id) {
        if (sample_.size() == most_named && id >= *sample_.rbegin()) return;
        sample_.emplace(id);
        if (sample_.size() > most_named) sample_.erase(std::prev(sample_.end()));
    }

    std::unordered_set<std::uint64_t> hashes_;
    std::set<std::string> sample_;
    bool capped_ = false;
};

}  // namespace rankstone
