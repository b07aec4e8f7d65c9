// A main for a target where there is no libFuzzer: runs the target on files, and on inputs made
// from them.
//   TARGET [--runs N] [--seed S] [FILE|FOLDER]...   runs these, what seeds() makes, and N mutations
//   TARGET --write-seeds FOLDER                     writes what seeds() makes
// The input of a run that fails is left in the working folder as crash-TARGET.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/fuzz/fuzz.h"

extern "C" {
// Absent where a target has no mutator of its own, or the build no sanitizer.
__attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                          std::size_t most, unsigned seed);
__attribute__((weak)) std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a,
                                                            std::size_t a_size,
                                                            const std::uint8_t* b,
                                                            std::size_t b_size, std::uint8_t* out,
                                                            std::size_t most, unsigned seed);
__attribute__((weak)) void __sanitizer_set_death_callback(
    void (*callback)());  // NOLINT(bugprone-reserved-identifier)
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
}

namespace braid::fuzz {
namespace {

constexpr std::size_t kMostBytes = 1 << 14;

std::mt19937 random_source(1);  // NOLINT(cert-err58-cpp)
std::vector<std::string> pool;  // NOLINT(cert-err58-cpp)
std::string current;            // NOLINT(cert-err58-cpp): kept where it dies
std::string crash_file;         // NOLINT(cert-err58-cpp)

std::size_t below(std::size_t n) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_source);
}

void keep_current() {
  std::ofstream(crash_file, std::ios::binary) << current;
  std::fprintf(stderr, "the input is in %s\n", crash_file.c_str());
}

void run_one(std::string input) {
  current = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void add_files(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) {
    pool.push_back(read(path));
    return;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) pool.push_back(read(file));
}

/// One mutation of something in the pool, or two things of it joined.
std::string draw() {
  std::string input = pool[below(pool.size())].substr(0, kMostBytes);
  const std::size_t size = input.size();
  input.resize(kMostBytes);
  auto* data = reinterpret_cast<std::uint8_t*>(input.data());
  const auto seed = static_cast<unsigned>(random_source());
  if (LLVMFuzzerCustomCrossOver != nullptr && below(4) == 0) {
    const std::string a = input.substr(0, size);
    const std::string& b = pool[below(pool.size())];
    const std::size_t joined = LLVMFuzzerCustomCrossOver(
        reinterpret_cast<const std::uint8_t*>(a.data()), a.size(),
        reinterpret_cast<const std::uint8_t*>(b.data()), b.size(), data, kMostBytes, seed);
    if (joined > 0) return input.substr(0, joined);
    std::memcpy(data, a.data(), a.size());
  }
  const std::size_t made = LLVMFuzzerCustomMutator != nullptr
                               ? LLVMFuzzerCustomMutator(data, size, kMostBytes, seed)
                               : LLVMFuzzerMutate(data, size, kMostBytes);
  return input.substr(0, made);
}

int replay(int count, char** arguments) {
  crash_file = "crash-" + std::filesystem::path(arguments[0]).filename().string();
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_current);
  // A sanitizer takes care of the other signals.
  std::signal(SIGABRT, [](int) { keep_current(); });
  if (__sanitizer_set_death_callback == nullptr)
    for (const int number : {SIGSEGV, SIGFPE, SIGBUS, SIGILL})
      std::signal(number, [](int caught) {
        keep_current();
        std::signal(caught, SIG_DFL);
        std::raise(caught);
      });
  std::size_t runs = 0;
  unsigned seed = 1;
  pool = seeds();
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--runs" && i + 1 < count)
      runs = std::strtoull(arguments[++i], nullptr, 10);
    else if (word == "--seed" && i + 1 < count)
      seed = static_cast<unsigned>(std::strtoul(arguments[++i], nullptr, 10));
    else
      add_files(arguments[i]);
  }
  random_source.seed(seed);
  for (const std::string& input : pool) run_one(input);
  const std::size_t kept = pool.size();
  for (std::size_t i = 0; i < runs && !pool.empty(); ++i) {
    std::string input = draw();
    const std::size_t before = attempts_completed;
    run_one(input);
    // What is no model gives no models either. The others become parents, so that changes add up.
    if (attempts_completed == before) continue;
    if (pool.size() < 2 * kept)
      pool.push_back(std::move(input));
    else
      pool[kept + below(kept)] = std::move(input);
  }
  std::printf("%zu kept inputs and %zu made ones (seed %u), %zu attempts completed: no failure\n",
              kept, runs, seed, attempts_completed);
  return 0;
}

}  // namespace
}  // namespace braid::fuzz

/// libFuzzer's service to mutators of structure: a change of bytes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  using namespace braid::fuzz;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t at = size == 0 ? 0 : below(size);
  switch (below(6)) {
    case 0:
      bytes.insert(at, 1, static_cast<char>(below(256)));
      break;
    case 1:
      bytes.erase(at, below(8) + 1);
      break;
    case 2:
      if (size > 0) bytes[at] = static_cast<char>(below(256));
      break;
    case 3:
      if (size > 0) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      break;
    case 4:
      bytes.insert(at, bytes.substr(size == 0 ? 0 : below(size), below(16)));
      break;
    default: {
      const std::string& other = pool[below(pool.size())];
      bytes.insert(at, other.substr(other.empty() ? 0 : below(other.size()), below(16)));
    }
  }
  if (bytes.size() > most) bytes.resize(most);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

int main(int count, char** arguments) { return braid::fuzz::replay(count, arguments); }
