#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include <braid/session.h>

#include "cost/profile_cache.h"
#include "cost/sqlite.h"
#include "onnx/testing/models.h"
#include "tensor/difference.h"

namespace braid {
namespace {

using namespace onnx::testing;

Tensor counting(Dims dims) {
  Tensor tensor = Tensor::uninitialised({ElementType::F32, std::move(dims)});
  float next = -2;
  for (float& x : tensor.mutable_data<float>()) x = next++;
  return tensor;
}

Tensor relu(const Tensor& tensor) {
  Tensor out = Tensor::uninitialised(tensor.type());
  for (std::size_t i = 0; i < out.mutable_data<float>().size(); ++i)
    out.mutable_data<float>()[i] = std::max(tensor.data<float>()[i], 0.0F);
  return out;
}

class SessionTest : public ::testing::Test {
 protected:
  std::filesystem::path save(const onnx::proto::ModelProto& model) {
    return folder_.write("m.onnx", model.SerializeAsString());
  }
  std::filesystem::path relu_model(const Strings& dims) {
    return save(model_of({node("Relu", {"x"}, {"y"})}, 17, dims));
  }

  Folder folder_;
};

TEST_F(SessionTest, RunsAModelWithFixedShapes) {
  Session session(relu_model({"2", "3"}));
  ASSERT_EQ(session.inputs().size(), 1);
  EXPECT_EQ(session.inputs()[0].name, "x");
  EXPECT_EQ(session.inputs()[0].dims, (Dims{2, 3}));
  EXPECT_EQ(session.outputs(), Strings{"y"});
  const auto outputs = session.run({{"x", counting({2, 3})}});
  ASSERT_EQ(outputs.size(), 1);
  EXPECT_EQ(outputs[0].first, "y");
  EXPECT_TRUE(identical(outputs[0].second, relu(counting({2, 3}))));
}

TEST_F(SessionTest, PlansForEachShapeThatIsAsked) {
  SessionOptions options;
  options.max_plans = 2;
  Session session(relu_model({"batch", "3"}), options);
  EXPECT_EQ(session.inputs()[0].dims, (Dims{-1, 3}));
  EXPECT_EQ(session.inputs()[0].symbols, (Strings{"batch", ""}));
  for (std::int64_t batch : {1, 4, 2, 1, 3, 1})
    EXPECT_TRUE(identical(session.run({{"x", counting({batch, 3})}})[0].second,
                          relu(counting({batch, 3}))));
}

TEST_F(SessionTest, PlansForEachValueThatDecidesAShape) {
  auto model = model_of({node("Reshape", {"x", "shape"}, {"y"})});
  *model.mutable_graph()->add_input() = value_info("shape", {"2"}, onnx::proto::TensorProto::INT64);
  Session session(save(model));
  for (const Dims& dims : {Dims{3, 2}, Dims{6, 1}, Dims{3, 2}}) {
    const Tensor shape = Tensor::of<std::int64_t>({2}, std::span<const std::int64_t>(dims));
    const auto outputs = session.run({{"x", counting({2, 3})}, {"shape", shape}});
    EXPECT_TRUE(identical(outputs[0].second, counting({2, 3}).reshaped(dims)));
  }
  EXPECT_EQ(session.inputs_that_decide_shapes(), Strings{"shape"});
}

TEST_F(SessionTest, TellsOfAnOutputOfAnotherShapeThanDeclared) {
  Strings warnings;
  SessionOptions options;
  options.warn = [&](const std::string& warning) { warnings.push_back(warning); };
  auto model = model_of({node("Relu", {"x"}, {"y"})}, 17, {"4"});
  *model.mutable_graph()->mutable_output(0) = value_info("y", {"5"});
  Session session(save(model), options);
  EXPECT_EQ(warnings, Strings{"the output 'y' is declared with the shape [5] and comes out as "
                              "f32[4]"});
}

TEST_F(SessionTest, GivesOutEveryValueIfAsked) {
  SessionOptions options;
  options.all_values = true;
  options.canonicalise = false;
  Session session(save(model_of({node("Neg", {"x"}, {"n"}), node("Relu", {"n"}, {"y"})})), options);
  EXPECT_EQ(session.outputs(), (Strings{"y", "n"}));
}

TEST_F(SessionTest, RefusesInputsThatDoNotFit) {
  Session session(relu_model({"2", "3"}));
  expect_error(ErrorKind::Model, {"'x'", "not given"}, [&] { session.run({}); });
  expect_error(ErrorKind::Model, {"no input 'z'", "x"},
               [&] { session.run({{"x", counting({2, 3})}, {"z", counting({1})}}); });
  expect_error(ErrorKind::Model, {"f32[3,2]", "f32[2,3]"},
               [&] { session.run({{"x", counting({3, 2})}}); });
  expect_error(ErrorKind::Model, {"i64[2,3]", "f32[2,3]"},
               [&] { session.run({{"x", Tensor::zeros({ElementType::I64, {2, 3}})}}); });
}

TEST_F(SessionTest, FaultsShowWhenTheModelIsLoaded) {
  expect_error(ErrorKind::Unsupported, {"Nonsense"},
               [&] { Session session(save(model_of({node("Nonsense", {"x"}, {"y"})}))); });
  expect_error(ErrorKind::Model, {"missing.onnx"},
               [&] { Session session(folder_.path() / "missing.onnx"); });
}

TEST_F(SessionTest, CanBeStoppedWhileItLoads) {
  SessionOptions options;
  options.progress = [](std::string_view, std::int64_t, std::int64_t) { return false; };
  expect_error(ErrorKind::Cancelled, {}, [&] { Session session(relu_model({"2", "3"}), options); });
}

TEST_F(SessionTest, ManyThreadsMayRunAtOnce) {
  Session session(relu_model({"batch", "3"}));
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t i = 0; i < 20; ++i) {
        const Tensor input = counting({1 + (i + static_cast<std::int64_t>(t)) % 4, 3});
        if (!identical(session.run({{"x", input}})[0].second, relu(input))) ++wrong[t];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

TEST_F(SessionTest, EndsAfterTheCallsUnderWay) {
  std::atomic<bool> is_under_way = false;
  std::atomic<bool> is_ending = false;
  SessionOptions options;
  options.progress = [&](std::string_view phase, std::int64_t, std::int64_t) {
    if (phase != "lowering") return true;  // that comes when the first run makes its Plan
    is_under_way = true;
    while (!is_ending) std::this_thread::yield();
    return true;
  };
  auto session = std::make_unique<Session>(relu_model({"batch", "3"}), options);
  bool is_right = false;
  std::thread caller([&, &s = *session] {
    is_right = identical(s.run({{"x", counting({2, 3})}})[0].second, relu(counting({2, 3})));
  });
  while (!is_under_way) std::this_thread::yield();
  is_ending = true;
  session.reset();
  caller.join();
  EXPECT_TRUE(is_right);
}

TEST_F(SessionTest, TensorsThatDoNotFitAreOfOneKindOfError) {
  auto model = model_of({node("Relu", {"x"}, {"y"}), node("Relu", {"z"}, {"w"})}, 17, {"n", "3"});
  *model.mutable_graph()->add_input() = value_info("z", {"n", "?"});
  *model.mutable_graph()->add_output() = value_info("w", {"n", "?"});
  Session session(save(model));
  const Tensor z = counting({2, 5});
  expect_error(ErrorKind::Model, {"'x'", "f32[2,4]", "expected f32[n,3]"},
               [&] { session.run({{"x", counting({2, 4})}, {"z", z}}); });
  expect_error(ErrorKind::Model, {"'x'", "f32[3]", "expected f32[n,3]"},
               [&] { session.run({{"x", counting({3})}, {"z", z}}); });
  expect_error(ErrorKind::Model, {"'x'", "i64[1,3]", "expected f32[n,3]"}, [&] {
    session.run({{"x", Tensor::of<std::int64_t>({1, 3}, {1, 2, 3})}, {"z", z}});
  });
  expect_error(ErrorKind::Model, {"'n'", "4 in the input 'x'", "2 in the input 'z'"},
               [&] { session.run({{"x", counting({4, 3})}, {"z", z}}); });
  expect_error(ErrorKind::Model, {"'x'", "not given"},
               [&] { session.run({{"x", Tensor{}}, {"z", z}}); });
  EXPECT_EQ(session.run({{"x", counting({2, 3})}, {"z", z}}).size(), 2);
}

TEST_F(SessionTest, ShowsItsPlan) {
  Session session(relu_model({"2", "3"}));
  EXPECT_NE(session.plan_json({{"x", counting({2, 3})}}).find("\"braid\""), std::string::npos);
}

TEST_F(SessionTest, ObeysEdits) {
  const auto path = save(model_of({node("Softmax", {"x"}, {"a"}), node("LogSoftmax", {"x"}, {"b"}),
                                   node("Add", {"a", "b"}, {"y"})},
                                  17, {"2", "3"}));
  SessionOptions options;
  options.threads = 2;
  options.edits = "pin a stream 1\npin b stream 0\n";
  options.scheduler = "braid";
  Session session(path, options);
  const std::map<std::string, Tensor> inputs = {{"x", counting({2, 3})}};
  const std::string plan = session.plan_json(inputs);
  EXPECT_LT(plan.find("\"node\":\"b\""), plan.find("\"node\":\"a\"")) << plan;
  EXPECT_TRUE(identical(session.run(inputs)[0].second, Session(path).run(inputs)[0].second));
  options.edits = "pin nobody stream 1";
  EXPECT_THROW(Session(path, options), Error);
}

TEST_F(SessionTest, KeepsWithinAnArenaBudget) {
  const auto path = save(
      model_of({node("Relu", {"x"}, {"a"}), node("Neg", {"a"}, {"b"}), node("Relu", {"b"}, {"y"})},
               17, {"64", "64"}));
  SessionOptions options;
  options.arena_budget = 1 << 20;
  Session session(path, options);
  EXPECT_EQ(session.run({{"x", counting({64, 64})}}).size(), 1);
  options.arena_budget = 1;
  try {
    Session too_small(path, options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Quota);
  }
}

/// Two convolutions of one input, and how often a search was told of.
class OptimisingSession : public SessionTest {
 public:
  ~OptimisingSession() override { ::unsetenv("XDG_CACHE_HOME"); }

 protected:
  OptimisingSession() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    options.optimise = true;
    options.optimise_seconds = 0.5;
    options.progress = [this](std::string_view phase, std::int64_t, std::int64_t) {
      const bool searching = phase.starts_with("rewriting");
      searches += searching && !searching_ ? 1 : 0;
      searching_ = searching;
      return true;
    };
  }

  std::filesystem::path branches(const Strings& dims) {
    auto model = model_of({node("Conv", {"x", "v"}, {"a"}), node("Conv", {"x", "w"}, {"b"}),
                           node("Add", {"a", "b"}, {"y"})},
                          17, dims);
    std::vector<float> weights(64);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 5) - 2;
    for (const char* name : {"v", "w"})
      *model.mutable_graph()->add_initializer() = raw_tensor<float>(name, {8, 8, 1, 1}, weights);
    return save(model);
  }

  SessionOptions options;
  int searches = 0;

 private:
  bool searching_ = false;
};

TEST_F(OptimisingSession, GivesTheSameNumbersAndSearchesOnce) {
  const auto model = branches({"1", "8", "6", "6"});
  const Tensor input = counting({1, 8, 6, 6});
  Session plain(model);
  const Tensor expected = plain.run({{"x", input}})[0].second;
  for (const int so_far : {1, 1}) {
    Session session(model, options);
    EXPECT_EQ(searches, so_far);
    EXPECT_EQ(session.outputs(), Strings{"y"});
    EXPECT_TRUE(all_close(session.run({{"x", input}})[0].second, expected, 1e-3, 1e-4));
  }
}

TEST_F(OptimisingSession, SearchesForEachShapeOnItsOwn) {
  Session session(branches({"batch", "8", "6", "6"}), options);
  EXPECT_EQ(searches, 0);
  for (const std::int64_t batch : {1, 2, 1, 2}) session.run({{"x", counting({batch, 8, 6, 6})}});
  EXPECT_EQ(searches, 2);
}

/// A Session of a machine on which a contest was held.
class SettledSession : public SessionTest {
 protected:
  SettledSession() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    options.warn = [this](const std::string& warning) { warnings.push_back(warning); };
  }
  ~SettledSession() override { ::unsetenv("XDG_CACHE_HOME"); }

  sqlite::Database cache() const {
    return {default_profile_cache(), sqlite::Database::Open::Existing, 1000};
  }

  SessionOptions options;
  Strings warnings;
};

TEST_F(SettledSession, WarnsOfAPlanOfABusyHourAndSettlesItAgain) {
  const auto model = relu_model({"1", "64"});
  options.measure = true;
  Session settling(model, options);
  sqlite::Database database = cache();
  database.execute(
      "INSERT OR REPLACE INTO contests SELECT conditions, graph, '[{\"winner\":\"a\",\"loser\":"
      "\"b\",\"ratio\":1.5,\"ratio_low\":1,\"ratio_high\":2,\"runs\":60,\"scatter\":0.1,"
      "\"others_share\":0.43,\"held_at\":1}]', found_at FROM plans");
  options.measure = false;
  warnings.clear();
  Session later(model, options);
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_NE(warnings[0].find("others had 43 % of the processor time"), std::string::npos);
  EXPECT_NE(warnings[0].find("SessionOptions::remeasure"), std::string::npos);
  options.remeasure = true;
  Session again(model, options);
  EXPECT_EQ(database.number("SELECT count(*) FROM contests WHERE how LIKE '%0.43%'"), 0);
}

TEST_F(OptimisingSession, NeedsTimeAndNoEdits) {
  const auto model = branches({"1", "8", "6", "6"});
  SessionOptions edited = options;
  edited.edits = "pin y stream 0";
  expect_error(ErrorKind::Usage, {"edits", "optimising"}, [&] { Session session(model, edited); });
  options.optimise_seconds = 0;
  expect_error(ErrorKind::Usage, {"optimise_seconds"}, [&] { Session session(model, options); });
}

}  // namespace
}  // namespace braid
