// Braid as a contender of bench/peers/run: loads a model, answers once, then obeys one command per
// line of standard input; idle, it waits in read().
//
//     bench_peers MODEL.onnx INPUTS.npz THREADS SCHEDULER
//
//     run                   one inference; answers with its seconds, passed and of CPU time
//     outputs FILE.npz      writes the outputs of the last inference as 0, 1, …
//     callers N SECONDS     N threads on one Session; answers with inferences and seconds
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include <braid/session.h>

#include "tensor/npy.h"

namespace {

using Clock = std::chrono::steady_clock;
using Inputs = std::map<std::string, braid::Tensor>;
using Outputs = std::vector<braid::NamedTensor>;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void answer(const nlohmann::ordered_json& line) { std::cout << line.dump() << std::endl; }

void save_outputs(const std::string& file, Outputs outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].first = std::to_string(i);
  braid::write_npz(file, outputs);
}

/// Inferences that `callers` threads finish on one Session, each calling again until the time is
/// up.
nlohmann::ordered_json run_callers(braid::Session& session, const Inputs& inputs, int callers,
                                   double seconds) {
  std::atomic<int> count = 0;
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i)
    threads.emplace_back([&] {
      while (seconds_since(start) < seconds) {
        session.run(inputs);
        ++count;
      }
    });
  for (std::thread& thread : threads) thread.join();
  return {{"inferences", count.load()}, {"seconds", seconds_since(start)}};
}

void obey(braid::Session& session, const Inputs& inputs, Outputs outputs) {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "run") {
      const auto start = Clock::now();
      const double cpu_start = cpu_seconds();
      outputs = session.run(inputs);
      answer({{"seconds", seconds_since(start)}, {"cpu_seconds", cpu_seconds() - cpu_start}});
    } else if (command == "outputs") {
      std::string file;
      std::getline(words >> std::ws, file);
      save_outputs(file, outputs);
      answer({{"file", file}});
    } else if (command == "callers") {
      int callers = 0;
      double seconds = 0;
      words >> callers >> seconds;
      answer(run_callers(session, inputs, callers, seconds));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bench_peers MODEL.onnx INPUTS.npz THREADS SCHEDULER\n");
    return 2;
  }
  try {
    Inputs inputs;
    for (auto& [name, tensor] : braid::read_npz(argv[2])) inputs[name] = tensor;
    answer({{"version", BRAID_VERSION}});
    std::string go;
    std::getline(std::cin, go);
    const auto start = Clock::now();
    braid::SessionOptions options;
    options.threads = std::stoi(argv[3]);
    options.scheduler = argv[4];
    options.measure = true;
    braid::Session session(argv[1], options);
    Outputs outputs = session.run(inputs);
    answer({{"seconds", seconds_since(start)}});
    obey(session, inputs, std::move(outputs));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_peers: %s\n", error.what());
    return 1;
  }
  return 0;
}
