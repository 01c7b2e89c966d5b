// The whole check: reads the tensors, computes the scheme's answer and its bound, asks the gates, looks for a cause.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "suites/check/diagnosis.h"
#include "suites/check/request.h"

namespace narrowgate::check {

enum class Verdict { kPass, kFail, kNone };

struct Report {
  CheckRequest request;
  Shape shape;
  io::ElementType c_type = io::ElementType::f32;
  Verdict verdict = Verdict::kNone;
  std::vector<GateResult> gates;
  std::optional<double> sigma_fraction;  // largest error in its standard deviations; nothing where not computed
  Tally found;
  std::vector<std::string> strips;
  std::optional<Cause> cause;
  std::vector<std::string> warnings;
};

// The error is one of usage or input, and names file and place.
OrError<Report> check(const CheckRequest& request);

// PASS when nothing that decides failed and something that judges numbers (E or I) decided; so guards alone are none.
Verdict verdict_of(const std::vector<GateResult>& gates);

// The verdict in one line; and all of it, for people and as strict JSON.
std::string verdict_line(const Report& report);
std::string text(const Report& report);
std::string json(const Report& report);

}  // namespace narrowgate::check
