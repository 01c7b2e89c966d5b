// The stored baselines. Accuracy is universal and exact, keyed by case; timing is kept per device key.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "baselines/record.h"

namespace narrowgate {

// The scheme's answer to one case, as it was accepted.
struct AccuracyLine {
  std::string family;  // the file that holds the line
  std::string digest;
  double max_abs_err = 0, mean_abs_err = 0, rms_err = 0, bound_fraction = 0;
  std::int64_t worst_row = 0, worst_col = 0;
};

struct AccuracyBaseline {
  std::map<std::string, AccuracyLine, std::less<>> cases;
};

nlohmann::ordered_json to_json(const AccuracyLine& line);
tl::expected<AccuracyLine, Error> accuracy_line_from_json(const nlohmann::json& json, const Place& place);

// Reads folder/*.json. An empty folder is a baseline without lines; a missing one is an error, and so are a case in
// two files, lines out of order, a file whose family is not its name, and a decimal that does not belong to its hex.
tl::expected<AccuracyBaseline, Error> load_accuracy(const std::string& folder);

// One file per family, sorted, one line per case: the same lines give the same bytes. Unchanged files are not touched.
tl::expected<void, Error> save_accuracy(const std::string& folder, const AccuracyBaseline& baseline);

// What each cell of a bounded kernel used of the bound of its own sum, by device key.
struct BoundedBaseline {
  using Cells = std::map<std::string, double, std::less<>>;  // cell id → fraction
  std::map<std::string, Cells, std::less<>> devices;
};

// The key of what the host executes of device code: any host gives the same bits, so one file serves all.
inline constexpr std::string_view kSimtKey = "simt";

// The key that a bounded row is stored under; nothing where the run does not know its device.
std::optional<std::string> bounded_key(const Row& row, const RunContext& context);

// Reads folder/<device folder>.json. A missing folder is a baseline without lines: each cell is then NEW.
tl::expected<BoundedBaseline, Error> load_bounded(const std::string& folder);
// One file per device key, sorted, one line per cell. Unchanged files are not touched.
tl::expected<void, Error> save_bounded(const std::string& folder, const BoundedBaseline& baseline);

struct TimingLine {
  std::vector<double> launches;  // median of each launch (process), ns
  double median_ns = 0, min_ns = 0;
  std::int64_t samples = 0;
};

struct TimingBaseline {
  Device device;
  std::string suite, date;
  std::optional<std::string> git_commit;
  std::map<std::string, TimingLine, std::less<>> cells;
};

// A folder name for any key: characters that a file system may refuse become '_', and then a digest of the key tells
// apart what would have become equal.
std::string device_folder(const std::string& device_key);

// Reads folder/<device folder>/<suite>.json. A missing folder is no timing baseline yet: time decides nothing here.
tl::expected<std::vector<TimingBaseline>, Error> load_timing(const std::string& folder);
tl::expected<void, Error> save_timing(const std::string& folder, const TimingBaseline& baseline);

// Figures of others, shown beside ours and never judged, as compact JSON text.
tl::expected<std::string, Error> load_published(const std::string& path);

}  // namespace narrowgate
