// Whole text files. A target is either its old text or its new text, never half of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "baselines/error.h"

namespace narrowgate {

// Refused: missing, not a regular file, unreadable, empty.
tl::expected<std::string, Error> read_text(const std::string& path);

// Writes a temporary file in the same folder, syncs it and renames it over the target.
tl::expected<void, Error> write_text_atomically(const std::string& path, std::string_view text);

// The file with one more line, written atomically; a missing file starts with this line.
tl::expected<void, Error> append_line_atomically(const std::string& path, std::string_view line);

// Paths of the folder's *.json files, ascending; temporary files of an interrupted writer begin with a dot.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);

// XXH3-128 as 32 hex digits.
std::string text_digest(std::string_view text);

}  // namespace narrowgate
