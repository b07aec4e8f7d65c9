#include "device/cpu/machine/machine_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "device/cpu/testing/machines.h"

namespace braid::cpu {
namespace {

using testing::HasSubstr;

std::string text_of(const Machine& machine) { return machine_text(machine, "1.0.0", "a cpu"); }

/// What is said of the text of a usual machine with `from` replaced.
std::string fault(std::string_view from, std::string_view to) {
  std::string text = text_of({});
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " is not in\n" << text;
  text.replace(at, from.size(), to);
  try {
    parse_machine(text, "m.json", Isa::Avx512);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
    EXPECT_THAT(error.what(), HasSubstr("while reading the machine 'm.json'"));
    return error.message();
  }
  return "";
}

TEST(MachineFile, ReadsWhatItWrites) {
  for (const TestMachine& test : test_machines())
    EXPECT_EQ(parse_machine(text_of(test.machine), "it", Isa::Avx512), test.machine) << test.name;
}

TEST(MachineFile, SaysWhatCannotBe) {
  EXPECT_EQ(fault("\"lanes\": 1", "\"lanes\": 1"), "");
  EXPECT_THAT(fault("\"lanes\": 1", "\"lanes\": 2"), HasSubstr("2 lanes cannot be busy at once"));
  EXPECT_THAT(fault("\"lanes\": 1", "\"lanes\": 0"), HasSubstr("machine.lanes: expected a whole"));
  EXPECT_THAT(fault("\"lanes\": 1", "\"lamps\": 1"), HasSubstr("lamps"));
  EXPECT_THAT(fault("32768", "-32768"), HasSubstr("machine.first_level_bytes: expected a whole"));
  EXPECT_THAT(fault("32768", "0"), HasSubstr("from 8192 to"));
  EXPECT_THAT(fault("32768", "1e300"), HasSubstr("a fraction or a number that is too large"));
  EXPECT_THAT(fault("32768", "\"32 KiB\""), HasSubstr("got a text"));
  EXPECT_THAT(fault("32768", "1048576"), HasSubstr("smaller than the first"));
  EXPECT_THAT(fault("524288", "9223372036854775807"), HasSubstr("machine.second_level_bytes"));
  EXPECT_THAT(fault("2097152", "2097153"), HasSubstr("no power of two"));
  EXPECT_THAT(fault("\"first_level_ways\": 8", "\"first_level_ways\": 0"), HasSubstr("from 1 to"));
  EXPECT_THAT(fault("\"baseline\"", "\"avx3\""), HasSubstr("machine.isa"));
  EXPECT_THAT(fault("unknown", std::string(200, 'x')), HasSubstr("machine.processor"));
  EXPECT_THAT(fault("unknown", "\\u0007"), HasSubstr("printable"));
  EXPECT_THAT(fault("\"braid-machine\"", "\"braid-plan\""), HasSubstr("expected 'braid-machine'"));
  EXPECT_THAT(fault("\"version\": 1", "\"version\": 2"), HasSubstr("version"));
}

TEST(MachineFile, TakesNothingElse) {
  for (const char* text : {"", "{}", "[]", "null", "{\"machine\": 1}", "[[[[[[[[[[[[[[[[[[[["})
    EXPECT_THROW(parse_machine(text, "m.json", Isa::Avx512), Error) << text;
  EXPECT_THROW(read_machine("no such file", Isa::Avx512), Error);
  EXPECT_THROW(read_machine("/", Isa::Avx512), Error);
}

TEST(MachineFile, RefusesWhatTheProcessorLacks) {
  const std::string text = text_of({.isa = Isa::Avx512});
  try {
    parse_machine(text, "m.json", Isa::Avx2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_THAT(error.message(), HasSubstr("has avx512, but this processor has no more than avx2"));
  }
  EXPECT_EQ(parse_machine(text, "m.json", Isa::Avx512).isa, Isa::Avx512);
}

TEST(MachineFile, DefaultsStandForWhatCannotBe) {
  Machine odd;
  odd.first_level_bytes = 0;
  odd.second_level_bytes = -1;
  EXPECT_EQ(with_defaults(odd), Machine{});
  odd.first_level_bytes = std::int64_t{1} << 20;
  odd.second_level_bytes = std::int64_t{1} << 16;
  EXPECT_EQ(with_defaults(odd), Machine{});
}

}  // namespace
}  // namespace braid::cpu
