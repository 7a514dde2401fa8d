// Work on several threads.
#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace rankstone {

// Calls work(worker) on up to `workers` threads, this one among them, and passes on the first
// exception.
template <typename Work>
void in_parallel(int workers, Work work) {
    std::exception_ptr failure;
    std::mutex guard;
    const auto guarded = [&](int worker) {
        try {
            work(worker);
        } catch (...) {
            const std::lock_guard lock(guard);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(workers));
    try {
        for (int worker = 1; worker < workers; ++worker) threads.emplace_back(guarded, worker);
    } catch (const std::exception&) {
        // The system gives no more threads; those there are share the work.
    }
    guarded(0);
    for (auto& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace rankstone
