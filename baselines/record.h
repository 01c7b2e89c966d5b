// The record of a run, field by field as in schema/results.schema.json.
//
// A field that a file may leave out is an optional here. A metric that is not finite is null in the file and empty
// here; nonfinite > 0 tells it from one that was not measured.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "baselines/enum_names.h"
#include "baselines/error.h"
#include "baselines/hex_float.h"

namespace narrowgate {

struct GateResult {
  enum class Gate { guards, quantization, implementation, error, day98 };
  enum class State { pass, fail, not_applicable, not_measured };

  Gate gate = Gate::guards;
  State state = State::not_measured;
  bool decides = true;  // false: measured, never a verdict
  std::optional<std::string> detail;
  std::optional<std::int64_t> row, column;
  std::optional<double> value, reference, bound;  // NaN and infinities are null in the file, and NaN when read back
};

// One cell: a case computed by one kernel.
struct Row {
  enum class Backend { cpu, simt, cuda };
  enum class Contract { exact, bounded };
  enum class State { measured, skipped, crashed };
  enum class TimeState { measured, unmeasured };

  std::string name, run_name;  // Google Benchmark's own; both are the id
  std::optional<std::int64_t> family_index, per_family_instance_index, repetitions, repetition_index, threads;
  std::optional<std::int64_t> iterations;
  std::optional<double> real_time, cpu_time;  // ns; real_time is the median of the samples
  std::optional<bool> error_occurred;
  std::optional<std::string> error_message;

  std::string id, case_id, scheme;
  std::optional<std::string> family;
  std::string kernel;
  Backend backend = Backend::cpu;
  Contract contract = Contract::exact;
  std::optional<std::string> arithmetic, source;
  State state = State::measured;
  std::optional<std::string> reason;
  std::vector<GateResult> gates;

  std::optional<std::string> digest;
  std::optional<double> max_abs_err, mean_abs_err, rms_err;
  std::optional<double> max_err_steps, mean_err_steps, rms_err_steps;
  std::optional<std::int64_t> worst_row, worst_col;
  std::optional<double> bound_fraction, k_gate_fraction, sqrtk_gate_fraction, sigma_fraction;
  std::optional<double> quantization_max_abs_err;    // the scheme's answer against the original data
  std::optional<double> implementation_max_abs_err;  // this kernel against the scheme's answer
  std::optional<double> implementation_bound_fraction;  // of a bounded kernel: what it uses of its own sum's bound
  std::optional<std::int64_t> implementation_mismatches, implementation_rows;
  std::optional<std::int64_t> nonfinite, zeros, codes_used, codes_used_worst_column;
  std::optional<double> bits_per_weight;
  std::vector<double> column_bound_fraction;  // of a kernel that failed a gate, by the bins of its case

  std::optional<TimeState> time_state;
  std::optional<std::string> time_reason;
  std::vector<double> samples_ns;
  std::optional<double> time_min_ns, time_rse, operations;
  std::optional<std::string> device_key;
};

// What is known of a case apart from any kernel, by bins of columns.
struct CaseProfile {
  std::string id, scheme;
  std::optional<std::string> title, family;
  std::int64_t m = 0, n = 0, k = 0;
  std::string distribution;
  std::uint64_t seed = 0;
  std::vector<std::int64_t> column_first;
  std::vector<std::optional<double>> column_max_abs_err, column_bound;
  std::optional<std::vector<std::int64_t>> column_codes_used;
};

struct Device {
  std::string key, model;
  std::optional<std::int64_t> units;
  std::optional<std::string> isa, driver, runtime;
};

struct CacheLevel {
  std::string type;
  std::int64_t level = 0, size = 0, num_sharing = 0;
};

using EnvironmentValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

struct RunContext {
  // Google Benchmark's own.
  std::string date, host_name, executable;
  std::int64_t num_cpus = 0, mhz_per_cpu = 0;
  bool cpu_scaling_enabled = false;
  std::vector<CacheLevel> caches;
  std::vector<double> load_avg;
  std::string library_build_type;
  std::map<std::string, std::string> other;  // members this program does not know, as JSON text; kept as they stand

  // The member "narrowgate".
  std::string version, suite;
  std::optional<std::string> suite_description;
  std::string command;
  std::optional<std::string> git_commit;
  std::optional<bool> git_dirty;
  std::string compiler, flags, simd_target;
  std::int64_t threads = 1;
  bool timing = false;
  std::optional<std::string> planted, filter;
  std::vector<std::string> parameters;  // of a parametric suite, as words of a command line
  std::map<std::string, EnvironmentValue> environment;
  std::map<std::string, Device> devices;  // by backend
};

struct Results {
  RunContext context;
  std::vector<std::string> manifest;  // every cell that the run planned, in plan order
  std::vector<CaseProfile> cases;
  std::vector<Row> benchmarks;
};

nlohmann::ordered_json to_json(const Row& row);
nlohmann::ordered_json to_json(const CaseProfile& profile);
nlohmann::ordered_json to_json(const Device& device);
nlohmann::ordered_json to_json(const RunContext& context);

// pointer is the value's place in its file, "/benchmarks/3"; messages begin with origin and pointer.
struct Place {
  std::string origin, pointer;
};
tl::expected<Row, Error> row_from_json(const nlohmann::json& json, const Place& place);
tl::expected<CaseProfile, Error> case_from_json(const nlohmann::json& json, const Place& place);
tl::expected<Device, Error> device_from_json(const nlohmann::json& json, const Place& place);
tl::expected<RunContext, Error> context_from_json(const nlohmann::json& json, const Place& place);

template <>
struct Names<GateResult::Gate> {
  static constexpr std::array<std::string_view, 5> value{"guards", "Q", "I", "E", "day98"};
};
template <>
struct Names<GateResult::State> {
  static constexpr std::array<std::string_view, 4> value{"pass", "fail", "not_applicable", "not_measured"};
};
template <>
struct Names<Row::Backend> {
  static constexpr std::array<std::string_view, 3> value{"cpu", "simt", "cuda"};
};
template <>
struct Names<Row::Contract> {
  static constexpr std::array<std::string_view, 2> value{"exact", "bounded"};
};
template <>
struct Names<Row::State> {
  static constexpr std::array<std::string_view, 3> value{"measured", "skipped", "crashed"};
};
template <>
struct Names<Row::TimeState> {
  static constexpr std::array<std::string_view, 2> value{"measured", "unmeasured"};
};

}  // namespace narrowgate
