#include "baselines/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

#include "baselines/json_fields.h"
#include "baselines/json_file.h"

namespace narrowgate {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "narrowgate.journal/1";

tl::unexpected<Error> failure(const std::string& path, const std::string& what) {
  return tl::unexpected(Error{fmt::format("{}: {}", path, what)});
}

tl::unexpected<Error> system_failure(const std::string& path, const std::string& what) {
  return failure(path, fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

tl::expected<void, Error> check_header(const std::string& line, const std::string& path, const std::string& digest) {
  const tl::expected<json, Error> header = parse_json(line, path, kNoSchema);
  if (!header) return tl::unexpected(header.error());
  if (!header->is_object() || !header->contains("schema") || !header->contains("manifest_digest")) {
    return failure(path, fmt::format("line 1: expected the header of a \"{}\"", kSchema));
  }
  if ((*header)["schema"] != kSchema) {
    return failure(path, fmt::format("line 1: /schema: this program understands \"{}\"", kSchema));
  }
  if ((*header)["manifest_digest"] != digest) {
    return failure(path, "line 1: /manifest_digest: the journal of another plan; finish that run or remove the file");
  }
  return {};
}

}  // namespace

std::string manifest_digest(const std::vector<std::string>& manifest) {
  std::string joined;
  for (const std::string& id : manifest) joined += fmt::format("{}:{}\n", id.size(), id);
  return text_digest(joined);
}

std::string Journal::path_beside(const std::string& results_path) { return results_path + ".journal"; }

tl::expected<Journal, Error> Journal::start(const std::string& path, const std::string& manifest_digest) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST) {
    return failure(path, "the journal of an unfinished run is here; continue it with --resume, or remove it");
  }
  if (descriptor < 0) return system_failure(path, "cannot be created");
  Journal journal(path, descriptor);
  const nlohmann::ordered_json header{{"schema", kSchema}, {"manifest_digest", manifest_digest}};
  if (const auto written = journal.write_line(header.dump()); !written) return tl::unexpected(written.error());
  return journal;
}

tl::expected<JournalContents, Error> Journal::load(const std::string& path, const std::string& manifest_digest) {
  const tl::expected<std::string, Error> text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  JournalContents contents;
  std::set<std::string> seen;
  std::size_t number = 0;
  while (contents.whole_bytes < text->size()) {
    const std::size_t end = text->find('\n', contents.whole_bytes);
    if (end == std::string::npos) break;
    const std::string line = text->substr(contents.whole_bytes, end - contents.whole_bytes);
    const std::string origin = fmt::format("{}, line {}", path, ++number);
    if (number == 1) {
      if (const auto sound = check_header(line, path, manifest_digest); !sound) return tl::unexpected(sound.error());
    } else {
      const auto value = parse_json(line, origin, "results.schema.json#/definitions/row");
      if (!value) return tl::unexpected(value.error());
      tl::expected<Row, Error> row = row_from_json(*value, {origin, ""});
      if (!row) return tl::unexpected(row.error());
      if (!seen.insert(row->id).second) return failure(origin, "/id: the cell stands in an earlier line");
      contents.rows.push_back(std::move(*row));
    }
    contents.whole_bytes = end + 1;
  }
  if (number == 0) return failure(path, "line 1: the header is torn, so nothing was measured; remove the file");
  if (contents.whole_bytes < text->size()) {
    contents.notice = fmt::format("{}, line {}: torn by the end of an earlier run ({} bytes), dropped", path, number + 1,
                                  text->size() - contents.whole_bytes);
  }
  return contents;
}

tl::expected<Journal, Error> Journal::resume(const std::string& path, const JournalContents& contents) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) return system_failure(path, "cannot be continued");
  Journal journal(path, descriptor);
  if (::ftruncate(descriptor, static_cast<off_t>(contents.whole_bytes)) != 0) {
    return system_failure(path, "the torn line cannot be cut off");
  }
  return journal;
}

tl::expected<void, Error> Journal::append(const Row& row) {
  const tl::expected<std::string, Error> line = one_line(to_json(row), path_);
  if (!line) return tl::unexpected(line.error());
  return write_line(*line);
}

tl::expected<void, Error> Journal::write_line(const std::string& line) {
  const std::string whole = line + '\n';
  std::string_view rest = whole;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_failure(path_, "cannot be written");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) return system_failure(path_, "cannot be written to the disk");
  return {};
}

tl::expected<void, Error> Journal::remove() {
  if (::unlink(path_.c_str()) != 0) return system_failure(path_, "cannot be removed");
  return {};
}

Journal::Journal(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace narrowgate
