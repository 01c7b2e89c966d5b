#include "baselines/schema.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "baselines/embedded.h"
#include "baselines/schema_words.h"

namespace narrowgate {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

class CompiledSchema {
 public:
  explicit CompiledSchema(json document) : document_(std::move(document)) {
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(NlohmannJsonAdapter(document_), schema_);
  }

  const json& document() const { return document_; }

  std::optional<std::string> violation(const json& value, std::size_t longest_text) {
    if (longest_text > kLongestPatternText) {
      if (std::optional<std::string> words = violation_in_words(document_, value)) return words;
    }
    if (conforms(value)) return std::nullopt;
    if (std::optional<std::string> words = violation_in_words(document_, value)) return words;
    return library_words(value);
  }

 private:
  bool conforms(const json& value) {
    const std::lock_guard lock(mutex_);  // the validator keeps a cache of patterns
    return validator_.validate(schema_, NlohmannJsonAdapter(value), nullptr);
  }

  std::string library_words(const json& value) {
    const std::lock_guard lock(mutex_);
    valijson::ValidationResults results;
    validator_.validate(schema_, NlohmannJsonAdapter(value), &results);
    valijson::ValidationResults::Error error;
    if (!results.popError(error)) return "/: the schema is violated";
    return fmt::format("{}: {}", fmt::join(error.context, ""), error.description);
  }

  json document_;
  valijson::Schema schema_;
  std::mutex mutex_;
  valijson::Validator validator_;
};

std::string_view embedded_text(std::string_view file) {
  for (const EmbeddedFile& candidate : embedded::schemas()) {
    if (candidate.name == file) return candidate.text;
  }
  throw std::logic_error(fmt::format("no schema named {} is compiled into this program", file));
}

json schema_document(std::string_view name) {
  const std::size_t hash = name.find('#');
  json whole = json::parse(embedded_text(name.substr(0, hash)));
  if (hash == std::string_view::npos) return whole;
  json part = whole.at(json::json_pointer(std::string(name.substr(hash + 1))));
  part["definitions"] = whole.at("definitions");  // its references begin at the root
  return part;
}

CompiledSchema& compiled(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<CompiledSchema>, std::less<>> schemas;
  const std::lock_guard lock(mutex);
  auto found = schemas.find(name);
  if (found == schemas.end()) {
    found = schemas.emplace(name, std::make_unique<CompiledSchema>(schema_document(name))).first;
  }
  return *found->second;
}

}  // namespace

std::optional<std::string> schema_violation(const json& value, std::string_view schema_name,
                                            std::size_t longest_text) {
  CompiledSchema& schema = compiled(schema_name);
  if (std::optional<std::string> words = version_in_words(schema.document(), value)) return words;
  return schema.violation(value, longest_text);
}

std::vector<std::string> sorted_members(std::string_view schema_name) {
  std::vector<std::string> members;
  const json& document = compiled(schema_name).document();
  if (!document.contains("properties")) return members;
  for (const auto& [name, member] : document["properties"].items()) {
    if (member.value("x-sorted", false)) members.push_back(name);
  }
  return members;
}

}  // namespace narrowgate
