// The context of a run: Google Benchmark's members with ours inside.
#include <algorithm>
#include <array>

#include "baselines/json_fields.h"
#include "baselines/record.h"

namespace narrowgate {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

template <class Fields, class Record>
void benchmark_fields(Fields& f, Record& context) {
  f("date", context.date);
  f("host_name", context.host_name);
  f("executable", context.executable);
  f("num_cpus", context.num_cpus);
  f("mhz_per_cpu", context.mhz_per_cpu);
  f("cpu_scaling_enabled", context.cpu_scaling_enabled);
  f("load_avg", context.load_avg);
  f("library_build_type", context.library_build_type);
}

template <class Fields, class Record>
void own_fields(Fields& f, Record& context) {
  f("version", context.version);
  f("suite", context.suite);
  f("suite_description", context.suite_description);
  f("command", context.command);
  f.nullable("git_commit", context.git_commit);
  f.nullable("git_dirty", context.git_dirty);
  f("compiler", context.compiler);
  f("flags", context.flags);
  f("simd_target", context.simd_target);
  f("threads", context.threads);
  f("timing", context.timing);
  f.nullable("planted", context.planted);
  f.unless_empty("parameters", context.parameters);
  f.nullable("filter", context.filter);
}

template <class Fields, class Record>
void cache_fields(Fields& f, Record& cache) {
  f("type", cache.type);
  f("level", cache.level);
  f("size", cache.size);
  f("num_sharing", cache.num_sharing);
}

constexpr std::array<std::string_view, 10> kKnown{
    "date",   "host_name",          "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled",
    "caches", "load_avg", "library_build_type", "narrowgate"};

ordered_json environment_json(const EnvironmentValue& value) {
  return std::visit(
      [](const auto& held) -> ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<std::decay_t<decltype(held)>, double>) {
          return std::isfinite(held) ? ordered_json(held) : ordered_json(nullptr);
        } else {
          return held;
        }
      },
      value);
}

EnvironmentValue environment_value(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  return std::monostate{};
}

void read_caches(FieldReader& f, RunContext& context) {
  const json* caches = f.find("caches");
  if (caches == nullptr || !caches->is_array()) return f.fail("caches", "expected an array");
  for (const json& item : *caches) {
    CacheLevel cache;
    FieldReader fields(item, f.place_of("caches"));
    cache_fields(fields, cache);
    if (fields.error()) return f.fail_with(*fields.error());
    context.caches.push_back(std::move(cache));
  }
}

void read_devices(FieldReader& f, RunContext& context) {
  const json* devices = f.find("devices");
  if (devices == nullptr || !devices->is_object()) return f.fail("devices", "expected an object");
  const Place place = f.place_of("devices");
  for (const auto& [backend, item] : devices->items()) {
    tl::expected<Device, Error> device = device_from_json(item, {place.origin, pointer_to(place.pointer, backend)});
    if (!device) return f.fail_with(device.error());
    context.devices.emplace(backend, std::move(*device));
  }
}

void read_own(FieldReader& parent, RunContext& context) {
  const json* own = parent.find("narrowgate");
  if (own == nullptr) return parent.fail("narrowgate", "the member is missing");
  FieldReader f(*own, parent.place_of("narrowgate"));
  own_fields(f, context);
  read_devices(f, context);
  if (const json* environment = f.find("environment"); environment != nullptr && environment->is_object()) {
    for (const auto& [key, value] : environment->items()) context.environment.emplace(key, environment_value(value));
  }
  if (f.error()) parent.fail_with(*f.error());
}

}  // namespace

ordered_json to_json(const RunContext& context) {
  FieldWriter f;
  benchmark_fields(f, context);
  ordered_json whole = f.take();
  whole["caches"] = ordered_json::array();
  for (const CacheLevel& cache : context.caches) {
    FieldWriter fields;
    cache_fields(fields, cache);
    whole["caches"].push_back(fields.take());
  }
  for (const auto& [key, text] : context.other) whole[key] = ordered_json::parse(text);
  FieldWriter own_writer;
  own_fields(own_writer, context);
  ordered_json own = own_writer.take();
  own["environment"] = ordered_json::object();
  for (const auto& [key, value] : context.environment) own["environment"][key] = environment_json(value);
  own["devices"] = ordered_json::object();
  for (const auto& [backend, device] : context.devices) own["devices"][backend] = to_json(device);
  whole["narrowgate"] = std::move(own);
  return whole;
}

tl::expected<RunContext, Error> context_from_json(const json& value, const Place& place) {
  RunContext context;
  FieldReader f(value, place);
  if (f.error()) return tl::unexpected(*f.error());
  benchmark_fields(f, context);
  read_caches(f, context);
  read_own(f, context);
  for (const auto& [key, member] : value.items()) {
    const bool known = std::find(kKnown.begin(), kKnown.end(), key) != kKnown.end();
    if (!known) context.other.emplace(key, member.dump());
  }
  if (f.error()) return tl::unexpected(*f.error());
  return context;
}

}  // namespace narrowgate
