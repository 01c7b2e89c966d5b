// A check as text and as JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "baselines/text_escape.h"
#include "suites/check/check.h"

namespace narrowgate::check {
namespace {

using Gate = GateResult::Gate;
using State = GateResult::State;
using nlohmann::ordered_json;

constexpr const char* kVerdictWords[] = {"PASS", "FAIL", "NO_VERDICT"};

double rms(double squares, const Report& report) {
  return std::sqrt(squares / (static_cast<double>(report.shape.m) * static_cast<double>(report.shape.n)));
}

const char* state_word(const GateResult& gate) {
  switch (gate.state) {
    case State::pass: return "pass";
    case State::fail: return gate.decides ? "FAIL" : "differs";
    case State::not_applicable: return "-";
    case State::not_measured: return gate.decides ? "no verdict" : "-";
  }
  return "-";
}

std::string where(const GateResult& gate) {
  if (!gate.row) return {};
  std::string text = fmt::format("row {}, column {}: value {:.9g}, reference {:.9g}", *gate.row, *gate.column, *gate.value, *gate.reference);
  if (gate.bound && *gate.bound > 0.0) text += fmt::format(", bound {:.4g}", *gate.bound);
  return text;
}

std::string gate_line(const GateResult& gate) {
  std::string line = fmt::format("  {:<7} {:<10} {:<8}", to_string(gate.gate), state_word(gate), gate.decides ? "decides" : "");
  if (gate.detail) line += " " + visible(*gate.detail);
  const std::string place = where(gate);
  if (!place.empty()) line += fmt::format("{}{}", gate.detail ? "; " : " ", place);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string implementation_line(const Report& report) {
  if (report.found.mismatches == 0) return "implementation error: none, every bit is the scheme's";
  return fmt::format("implementation error (C against the scheme's answer): {} of {} elements differ, at most {:.4g} or {:.4g} ulp",
                     report.found.mismatches, report.shape.m * report.shape.n, report.found.implementation_max_err, report.found.max_ulps);
}

std::string errors_text(const Report& report) {
  const Tally& found = report.found;
  std::string text = fmt::format("quantization error (the scheme's answer against the data): max {:.4g}, rms {:.4g}\n{}\n",
                                 found.quantization_max_err, rms(found.quantization_squares, report), implementation_line(report));
  if (found.elements == 0) return text;
  text += fmt::format("error of C against the data: max {:.4g}, {:.3g} of the bound at worst\n", found.max_err, found.bound_fraction);
  const Element& worst = found.worst;
  return text + fmt::format("worst element: row {}, column {}: value {:.9g}, reference {:.9g}, bound {:.4g}\n", worst.row, worst.column,
                            worst.value, worst.reference, worst.bound);
}

// NaN and infinities are null.
ordered_json number(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }

ordered_json element_json(const Element& element) {
  return {{"row", element.row}, {"column", element.column}, {"value", number(element.value)},
          {"reference", number(element.reference)}, {"bound", number(element.bound)}};
}

ordered_json gate_json(const GateResult& gate) {
  ordered_json json = {{"gate", to_string(gate.gate)}, {"state", to_string(gate.state)}, {"decides", gate.decides}};
  if (gate.detail) json["detail"] = visible(*gate.detail);
  if (gate.row) json["element"] = element_json({*gate.row, *gate.column, *gate.value, *gate.reference, *gate.bound});
  return json;
}

ordered_json lines_json(const std::vector<std::string>& lines) {
  ordered_json list = ordered_json::array();
  for (const std::string& line : lines) list.push_back(visible(line));
  return list;
}

const GateResult* first_failing(const Report& report) {
  for (const GateResult& gate : report.gates) {
    if (gate.decides && gate.state == State::fail) return &gate;
  }
  return nullptr;
}

}  // namespace

std::string verdict_line(const Report& report) {
  const Shape shape = report.shape;
  const std::string line = fmt::format("{} {} {}x{}x{} {}", kVerdictWords[static_cast<int>(report.verdict)], visible(report.request.scheme),
                                       shape.m, shape.n, shape.k, visible(report.request.c));
  if (const GateResult* gate = first_failing(report)) return fmt::format("{}: gate {}: {}", line, to_string(gate->gate), visible(gate->detail.value_or("failed")));
  if (report.verdict != Verdict::kNone) return line;
  return line + ": nothing can decide: " + visible(report.gates[3].detail.value_or("E was not measured")) +
         "; --exact or the codes (--b-codes, --b-scales, --b-zeros) would";
}

std::string text(const Report& report) {
  std::string text = verdict_line(report) + "\n" + errors_text(report);
  for (const std::string& line : report.strips) text += visible(line) + "\n";
  if (report.cause) {
    text += fmt::format("likely cause: {}; it explains {:.4g} % of the difference\n", visible(report.cause->text), 100.0 * report.cause->explained);
  }
  for (const std::string& line : report.warnings) text += "warning: " + visible(line) + "\n";
  text += "gates\n";
  for (const GateResult& gate : report.gates) text += gate_line(gate);
  return text;
}

std::string json(const Report& report) {
  const Tally& found = report.found;
  ordered_json json = {{"schema", "narrowgate.check/1"}, {"verdict", kVerdictWords[static_cast<int>(report.verdict)]},
                       {"scheme", report.request.scheme}, {"m", report.shape.m}, {"n", report.shape.n}, {"k", report.shape.k},
                       {"c", visible(report.request.c)}, {"c_type", io::name_of(report.c_type)}};
  json["quantization_error"] = {{"max", number(found.quantization_max_err)}, {"rms", number(rms(found.quantization_squares, report))}};
  json["implementation_error"] = {{"mismatches", found.mismatches}, {"max", number(found.implementation_max_err)}, {"max_ulps", number(found.max_ulps)}};
  json["error"] = {{"max", number(found.max_err)}, {"bound_fraction", number(found.bound_fraction)}, {"nonfinite", found.nonfinite}, {"zeros", found.zeros}};
  json["worst"] = found.elements == 0 ? ordered_json(nullptr) : element_json(found.worst);
  json["sigma_fraction"] = report.sigma_fraction ? number(*report.sigma_fraction) : ordered_json(nullptr);
  json["strips"] = lines_json(report.strips);
  json["cause"] = report.cause ? ordered_json{{"text", visible(report.cause->text)}, {"explained", number(report.cause->explained)}} : ordered_json(nullptr);
  json["warnings"] = lines_json(report.warnings);
  json["gates"] = ordered_json::array();
  for (const GateResult& gate : report.gates) json["gates"].push_back(gate_json(gate));
  return json.dump(1) + "\n";
}

}  // namespace narrowgate::check
