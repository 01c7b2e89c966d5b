#include "baselines/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace narrowgate {
namespace {

namespace fs = std::filesystem;

std::string system_message(int code) { return std::generic_category().message(code); }

tl::unexpected<Error> failure(const std::string& path, const std::string& what, int code) {
  return tl::unexpected(Error{fmt::format("{}: {}: {}", path, what, system_message(code))});
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

// A new file has the permissions that the user's mask gives; an existing one keeps its own.
mode_t permissions_for(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// The rename itself lasts only once the folder is on the disk; file systems that cannot sync a folder are left alone.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

tl::expected<std::string, Error> read_text(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) {
    return tl::unexpected(Error{fmt::format("{}: no such file", path)});
  }
  if (status.type() == fs::file_type::directory) {
    return tl::unexpected(Error{fmt::format("{}: a folder, where a file is expected", path)});
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad()) return failure(path, "cannot be read", errno);
  if (text.empty()) return tl::unexpected(Error{fmt::format("{}: the file is empty", path)});
  return text;
}

tl::expected<void, Error> write_text_atomically(const std::string& path, std::string_view text) {
  const fs::path target(path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (target.filename().empty() || fs::is_directory(target)) {
    return tl::unexpected(Error{fmt::format("{}: a folder, where a file is to be written", path)});
  }
  std::string temporary = (folder / ".narrowgate.XXXXXX").string();
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) return failure(path, "cannot be written in its folder", errno);
  int code = write_all(descriptor, text);
  if (code == 0 && ::fchmod(descriptor, permissions_for(path)) != 0) code = errno;
  if (::close(descriptor) != 0 && code == 0) code = errno;
  if (code == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(temporary.c_str());
    return failure(path, "cannot be written", code);
  }
  sync_folder(folder);
  return {};
}

tl::expected<void, Error> append_line_atomically(const std::string& path, std::string_view line) {
  std::string text;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() != fs::file_type::not_found && fs::file_size(path, code) != 0) {
    tl::expected<std::string, Error> old = read_text(path);
    if (!old) return tl::unexpected(old.error());
    text = std::move(*old);
    if (!text.ends_with('\n')) text += '\n';
  }
  text += line;
  text += '\n';
  return write_text_atomically(path, text);
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && !path.filename().string().starts_with('.')) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_digest(std::string_view text) {
  const XXH128_hash_t digest = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

}  // namespace narrowgate
