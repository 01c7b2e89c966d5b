// Text files compiled into the program by cmake/embed.cmake, so that it needs no installed data folder.
#pragma once

#include <span>
#include <string_view>

namespace narrowgate {

struct EmbeddedFile {
  std::string_view name;  // the file's name without its folder, "results.schema.json"
  std::string_view text;
};

namespace embedded {
std::span<const EmbeddedFile> schemas();
std::span<const EmbeddedFile> suites();
std::span<const EmbeddedFile> published();  // figures of others, for comparison
}  // namespace embedded

}  // namespace narrowgate
