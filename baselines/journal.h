// What a run has measured so far, beside its results, so that a killed run resumes.
//
// One JSON value a line: a header that names the plan, then one row per finished cell, each flushed to the disk.
// The last line of a killed run may be torn: a line without its line end is dropped, with a notice.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "baselines/record.h"

namespace narrowgate {

// Of a plan: its cells in order.
std::string manifest_digest(const std::vector<std::string>& manifest);

struct JournalContents {
  std::vector<Row> rows;
  std::optional<std::string> notice;  // what was dropped
  std::size_t whole_bytes = 0;        // length of the lines that are whole
};

class Journal {
 public:
  // "results.json.journal" for "results.json".
  static std::string path_beside(const std::string& results_path);

  // Refused where a file already stands there: it is the only record of an unfinished run.
  static tl::expected<Journal, Error> start(const std::string& path, const std::string& manifest_digest);

  // Refused: missing, no header, a journal of another plan, a whole line that is not a row, a cell twice.
  static tl::expected<JournalContents, Error> load(const std::string& path, const std::string& manifest_digest);

  // Continues a journal that load() has read; a torn last line is cut off.
  static tl::expected<Journal, Error> resume(const std::string& path, const JournalContents& contents);

  tl::expected<void, Error> append(const Row& row);

  // Once the results are written the journal is no longer needed.
  tl::expected<void, Error> remove();

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

 private:
  Journal(std::string path, int descriptor);
  tl::expected<void, Error> write_line(const std::string& line);

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace narrowgate
