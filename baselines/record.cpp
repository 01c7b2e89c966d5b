#include "baselines/record.h"

#include <type_traits>

#include "baselines/json_fields.h"

namespace narrowgate {
namespace {

template <class Fields, class Record>
void gate_fields(Fields& f, Record& gate) {
  f("gate", gate.gate);
  f("state", gate.state);
  f("detail", gate.detail);
  f("row", gate.row);
  f("column", gate.column);
}

template <class Fields, class Record>
void row_identity_fields(Fields& f, Record& row) {
  f("name", row.name);
  f("run_name", row.run_name);
  f.constant("run_type", "iteration");
  f("family_index", row.family_index);
  f("per_family_instance_index", row.per_family_instance_index);
  f("repetitions", row.repetitions);
  f("repetition_index", row.repetition_index);
  f("threads", row.threads);
  f("iterations", row.iterations);
  f("real_time", row.real_time);
  f("cpu_time", row.cpu_time);
  f.constant("time_unit", "ns");
  f("error_occurred", row.error_occurred);
  f("error_message", row.error_message);
  f("id", row.id);
  f("case", row.case_id);
  f("scheme", row.scheme);
  f("family", row.family);
  f("kernel", row.kernel);
  f("backend", row.backend);
  f("contract", row.contract);
  f("arithmetic", row.arithmetic);
  f("source", row.source);
  f("state", row.state);
  f("reason", row.reason);
}

template <class Fields, class Record>
void row_metric_fields(Fields& f, Record& row) {
  f("digest", row.digest);
  f("nonfinite", row.nonfinite);  // first: it says what an empty metric means
  const Empty empty = row.nonfinite.value_or(0) > 0 ? Empty::null : Empty::left_out;
  f.metric("max_abs_err", row.max_abs_err, empty);
  f.metric("mean_abs_err", row.mean_abs_err, empty);
  f.metric("rms_err", row.rms_err, empty);
  f.metric("max_err_steps", row.max_err_steps, empty);
  f.metric("mean_err_steps", row.mean_err_steps, empty);
  f.metric("rms_err_steps", row.rms_err_steps, empty);
  f("worst_row", row.worst_row);
  f("worst_col", row.worst_col);
  f.metric("bound_fraction", row.bound_fraction, empty);
  f.metric("k_gate_fraction", row.k_gate_fraction, empty);
  f.metric("sqrtk_gate_fraction", row.sqrtk_gate_fraction, empty);
  f.metric("sigma_fraction", row.sigma_fraction, empty);
  f("quantization_max_abs_err", row.quantization_max_abs_err);
  f.metric("implementation_max_abs_err", row.implementation_max_abs_err, empty);
  f("implementation_bound_fraction", row.implementation_bound_fraction);
  f("implementation_mismatches", row.implementation_mismatches);
  f("implementation_rows", row.implementation_rows);
  f("zeros", row.zeros);
  f("codes_used", row.codes_used);
  f("codes_used_worst_column", row.codes_used_worst_column);
  f("bits_per_weight", row.bits_per_weight);
  f.unless_empty("column_bound_fraction", row.column_bound_fraction);
}

template <class Fields, class Record>
void row_time_fields(Fields& f, Record& row) {
  f("time_state", row.time_state);
  f("time_reason", row.time_reason);
  f.unless_empty("samples_ns", row.samples_ns);
  f("time_min_ns", row.time_min_ns);
  f("time_rse", row.time_rse);
  f("operations", row.operations);
  f("device_key", row.device_key);
}

template <class Fields, class Record>
void case_fields(Fields& f, Record& profile) {
  f("id", profile.id);
  f("scheme", profile.scheme);
  f("title", profile.title);
  f("family", profile.family);
  f("m", profile.m);
  f("n", profile.n);
  f("k", profile.k);
  f("distribution", profile.distribution);
  f("seed", profile.seed);
  f("column_first", profile.column_first);
  f("column_max_abs_err", profile.column_max_abs_err);
  f("column_bound", profile.column_bound);
  f("column_codes_used", profile.column_codes_used);
}

template <class Fields, class Record>
void device_fields(Fields& f, Record& device) {
  f("key", device.key);
  f("model", device.model);
  f("units", device.units);
  f("isa", device.isa);
  f("driver", device.driver);
  f("runtime", device.runtime);
}

// JSON has one kind of null, and a gate no count of non-finite values: null is read back as NaN.
void write_gate_value(nlohmann::ordered_json& json, const char* key, const std::optional<double>& value) {
  if (value) json[key] = std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

void read_gate_value(FieldReader& f, const char* key, std::optional<double>& value) {
  const nlohmann::json* member = f.find(key);
  if (member != nullptr && member->is_null()) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    f(key, value);
  }
}

nlohmann::ordered_json gate_json(const GateResult& gate) {
  FieldWriter f;
  gate_fields(f, gate);
  nlohmann::ordered_json json = f.take();
  if (!gate.decides) json["decides"] = false;
  write_gate_value(json, "value", gate.value);
  write_gate_value(json, "reference", gate.reference);
  write_gate_value(json, "bound", gate.bound);
  return json;
}

tl::expected<GateResult, Error> gate_from_json(const nlohmann::json& json, const Place& place) {
  GateResult gate;
  FieldReader f(json, place);
  gate_fields(f, gate);
  std::optional<bool> decides;
  f("decides", decides);
  gate.decides = decides.value_or(true);
  read_gate_value(f, "value", gate.value);
  read_gate_value(f, "reference", gate.reference);
  read_gate_value(f, "bound", gate.bound);
  if (f.error()) return tl::unexpected(*f.error());
  return gate;
}

void read_gates(FieldReader& f, Row& row) {
  const nlohmann::json* gates = f.find("gates");
  if (gates == nullptr || !gates->is_array()) return f.fail("gates", "expected an array");
  const Place place = f.place_of("gates");
  for (std::size_t i = 0; i < gates->size(); ++i) {
    const Place item{place.origin, pointer_to(place.pointer, std::to_string(i))};
    tl::expected<GateResult, Error> gate = gate_from_json((*gates)[i], item);
    if (!gate) return f.fail_with(gate.error());
    for (const GateResult& earlier : row.gates) {
      if (earlier.gate == gate->gate) f.fail("gates", "the gate " + std::string(to_string(gate->gate)) + " occurs twice");
    }
    row.gates.push_back(std::move(*gate));
  }
}

template <class Record>
tl::expected<Record, Error> checked(const FieldReader& f, Record record) {
  if (f.error()) return tl::unexpected(*f.error());
  return record;
}

}  // namespace

nlohmann::ordered_json to_json(const Row& row) {
  FieldWriter f;
  row_identity_fields(f, row);
  row_metric_fields(f, row);
  row_time_fields(f, row);
  nlohmann::ordered_json json = f.take();
  json["gates"] = nlohmann::ordered_json::array();
  for (const GateResult& gate : row.gates) json["gates"].push_back(gate_json(gate));
  return json;
}

nlohmann::ordered_json to_json(const CaseProfile& profile) {
  FieldWriter f;
  case_fields(f, profile);
  return f.take();
}

nlohmann::ordered_json to_json(const Device& device) {
  FieldWriter f;
  device_fields(f, device);
  return f.take();
}

tl::expected<Row, Error> row_from_json(const nlohmann::json& json, const Place& place) {
  Row row;
  FieldReader f(json, place);
  row_identity_fields(f, row);
  row_metric_fields(f, row);
  row_time_fields(f, row);
  read_gates(f, row);
  return checked(f, std::move(row));
}

tl::expected<CaseProfile, Error> case_from_json(const nlohmann::json& json, const Place& place) {
  CaseProfile profile;
  FieldReader f(json, place);
  case_fields(f, profile);
  const std::size_t bins = profile.column_first.size();
  if (profile.column_max_abs_err.size() != bins || profile.column_bound.size() != bins) {
    f.fail("column_first", "the lists of columns differ in length");
  }
  return checked(f, std::move(profile));
}

tl::expected<Device, Error> device_from_json(const nlohmann::json& json, const Place& place) {
  Device device;
  FieldReader f(json, place);
  device_fields(f, device);
  return checked(f, std::move(device));
}

}  // namespace narrowgate
