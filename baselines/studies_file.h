// studies.json: what `narrowgate study` computed, one study a line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "baselines/enum_names.h"
#include "baselines/error.h"

namespace narrowgate {

// A question with its answer in numbers, ready to be drawn and to be read as a table.
struct StudyRecord {
  enum class State { measured, not_measured };
  enum class Scale { linear, log, categories };

  struct X {
    std::string label, unit;
    Scale scale = Scale::linear;
    std::vector<double> numbers;     // ascending; empty for categories
    std::vector<std::string> names;  // the categories; or a name for each number; or nothing

    std::size_t size() const { return scale == Scale::categories ? names.size() : numbers.size(); }
  };
  struct Y {
    std::string label, unit;
    Scale scale = Scale::linear;  // not categories
  };
  struct Series {
    std::string name;
    std::vector<std::optional<double>> y;  // one for each place on x
    std::optional<std::int64_t> marked;    // the place that the finding speaks of
  };

  std::string id;
  std::string title;  // the question
  State state = State::measured;
  std::string finding;  // a sentence made from the numbers; where nothing was measured, what is missing
  X x;
  Y y;
  std::vector<Series> series;
  std::vector<std::string> notes;
  std::string source;
};

struct StudiesFile {
  std::string version;
  std::string git_commit;  // empty: unknown
  std::vector<StudyRecord> studies;
};

// One study a line. Refused: a study without an answer, a value that is not finite, a series that does not fit its
// axis, a study given twice; the message begins with `origin` and the place.
tl::expected<std::string, Error> studies_text(const StudiesFile& file, const std::string& origin);

// Written atomically, and only what the schema accepts.
tl::expected<void, Error> write_studies(const std::string& path, const StudiesFile& file);

template <>
struct Names<StudyRecord::State> {
  static constexpr std::array<std::string_view, 2> value{"measured", "not_measured"};
};
template <>
struct Names<StudyRecord::Scale> {
  static constexpr std::array<std::string_view, 3> value{"linear", "log", "categories"};
};

}  // namespace narrowgate
