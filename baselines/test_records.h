// A small run for tests: two exact kernels of one case that pass, and the baseline line they agree with.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <clocale>
#include <filesystem>
#include <fstream>
#include <locale>
#include <string>

#include "baselines/record.h"
#include "baselines/store.h"

namespace narrowgate::test {

inline const std::string kCase = "int8.column/256x256x256/day98/s1";
inline const std::string kScalarCell = "int8.column/cpu.scalar/256x256x256/day98/s1";
inline const std::string kTiledCell = "int8.column/cuda.tiled/256x256x256/day98/s1";
inline const std::string kDigest = "0123456789abcdef0123456789abcdef";
inline const std::string kOtherDigest = "fedcba9876543210fedcba9876543210";

inline GateResult gate(GateResult::Gate name, GateResult::State state) {
  GateResult result;
  result.gate = name;
  result.state = state;
  return result;
}

inline std::vector<GateResult> passed_gates() {
  using enum GateResult::Gate;
  const auto pass = GateResult::State::pass;
  return {gate(guards, pass), gate(quantization, pass), gate(implementation, pass), gate(error, pass)};
}

inline Row row(const std::string& id, const std::string& kernel, Row::Backend backend) {
  Row row;
  row.name = row.run_name = row.id = id;
  row.case_id = kCase;
  row.scheme = "int8.column";
  row.family = "int8";
  row.kernel = kernel;
  row.backend = backend;
  row.gates = passed_gates();
  row.digest = kDigest;
  row.max_abs_err = 0.5;
  row.mean_abs_err = 0.0625;
  row.rms_err = 0.1;
  row.worst_row = 3;
  row.worst_col = 17;
  row.bound_fraction = 0.75;
  row.nonfinite = 0;
  row.time_state = Row::TimeState::unmeasured;
  row.time_reason = "--no-timing";
  return row;
}

inline RunContext context() {
  RunContext context;
  context.date = "2026-11-30T12:00:00+00:00";
  context.host_name = "host";
  context.executable = "narrowgate";
  context.num_cpus = 2;
  context.mhz_per_cpu = 3000;
  context.library_build_type = "release";
  context.version = "0.1.0";
  context.suite = "smoke";
  context.command = "narrowgate run smoke";
  context.git_commit = "abcdef0123456789abcdef0123456789abcdef01";
  context.git_dirty = false;
  context.compiler = "g++ 12.2";
  context.flags = "-O2";
  context.simd_target = "AVX2";
  context.devices["cpu"] = {"cpu-2-AVX2", "Some CPU", 2, "x86-64-v3", {}, {}};
  context.devices["cuda"] = {"Tesla T4|40|sm_75", "Tesla T4", 40, "sm_75", "580", "13.0"};
  return context;
}

inline CaseProfile profile() {
  CaseProfile profile;
  profile.id = kCase;
  profile.scheme = "int8.column";
  profile.m = profile.n = profile.k = 256;
  profile.distribution = "day98";
  profile.seed = 1;
  profile.column_first = {0, 128};
  profile.column_max_abs_err = {0.5, std::nullopt};
  profile.column_bound = {1.0, 2.0};
  return profile;
}

inline Results results() {
  Results results;
  results.context = context();
  results.manifest = {kScalarCell, kTiledCell};
  results.cases = {profile()};
  results.benchmarks = {row(kScalarCell, "cpu.scalar", Row::Backend::cpu),
                        row(kTiledCell, "cuda.tiled", Row::Backend::cuda)};
  return results;
}

inline AccuracyLine line() {
  AccuracyLine line;
  line.family = "int8";
  line.digest = kDigest;
  line.max_abs_err = 0.5;
  line.mean_abs_err = 0.0625;
  line.rms_err = 0.1;
  line.worst_row = 3;
  line.worst_col = 17;
  line.bound_fraction = 0.75;
  return line;
}

inline AccuracyBaseline baseline() {
  AccuracyBaseline baseline;
  baseline.cases.emplace(kCase, line());
  return baseline;
}

// While it lives, streams and, where such a locale is installed, the C library write a comma for the decimal point.
class DecimalComma {
 public:
  DecimalComma() : before_(std::locale::global(std::locale(std::locale(), new Punctuation))) {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
      if (std::setlocale(LC_NUMERIC, name) != nullptr) break;
    }
  }
  ~DecimalComma() {
    std::locale::global(before_);
    std::setlocale(LC_NUMERIC, "C");
  }
  DecimalComma(const DecimalComma&) = delete;
  DecimalComma& operator=(const DecimalComma&) = delete;

 private:
  class Punctuation : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::locale before_;
};

// A folder that is gone after the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "narrowgate_test.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from << " is not in the text";
  return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

// The message of a call that must have failed.
template <class Expected>
std::string error_of(const Expected& expected) {
  EXPECT_FALSE(expected.has_value());
  return expected ? "" : expected.error().message;
}

}  // namespace narrowgate::test
