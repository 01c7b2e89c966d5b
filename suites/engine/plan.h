// From a suite to cells: a pure expansion. The plan is the manifest that a run is held to.
#pragma once

#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "kernels/kernel.h"
#include "suites/engine/inputs.h"
#include "suites/engine/suite.h"

namespace narrowgate {

// What is computed and on which data.
struct Case {
  const Scheme* scheme = nullptr;
  Shape shape;
  Distribution distribution = Distribution::kDay98;
  std::uint64_t seed = 0;

  // "int8.column/256x256x256/day98/s1": keys the baseline, whatever kernel and layout.
  std::string id() const;
};

// A case computed by one kernel under one layout.
struct Cell {
  Case of;
  const Kernel* kernel = nullptr;
  Layout layout;
  bool timed = false;
  double budget_ms = 0;  // of its time, where timed

  // "int8.column/cuda.tiled/33x65x129+ld7+off3/day98/s1"
  std::string id() const;
};

struct PlanOptions {
  std::set<Backend> backends;
  std::string filter;  // a glob over cell ids; empty takes all
};

struct ShapeAndLayout {
  Shape shape;
  Layout layout;
};

// "256x128x64", "33x65x129+ld7+off3"; the error says what was expected.
tl::expected<ShapeAndLayout, Error> parse_shape(std::string_view text);
std::string shape_text(Shape shape, Layout layout);

// Cells in suite order. Cells of the same inputs stand together. Errors name the suite's file and the entry.
tl::expected<std::vector<Cell>, Error> plan(const Suite& suite, const PlanOptions& options);

}  // namespace narrowgate
