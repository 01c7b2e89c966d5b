// results.json: one row a line, so that a diff of two files can be read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <tl/expected.hpp>

#include "baselines/record.h"

namespace narrowgate {

// Refused: a manifest that names a cell twice, a cell measured twice (both positions are named), a cell that the
// manifest does not name, a case described twice.
tl::expected<void, Error> check_results(const Results& results, const std::string& origin);

tl::expected<Results, Error> parse_results(std::string_view text, const std::string& origin);
tl::expected<Results, Error> read_results(const std::string& path);

// Checks first: a file that this program would refuse to read is not written.
tl::expected<void, Error> write_results(const std::string& path, const Results& results);

}  // namespace narrowgate
