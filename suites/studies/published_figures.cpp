#include "suites/studies/published_figures.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "baselines/embedded.h"
#include "baselines/json_file.h"

namespace narrowgate::studies {

nlohmann::json published_figures(std::string_view file) {
  for (const EmbeddedFile& candidate : embedded::published()) {
    if (candidate.name != file) continue;
    auto figures = parse_json(candidate.text, std::string(file), kNoSchema);
    if (!figures) throw std::logic_error(figures.error().message);
    return std::move(*figures);
  }
  throw std::logic_error("no published figures named " + std::string(file) + " are compiled into this program");
}

}  // namespace narrowgate::studies
