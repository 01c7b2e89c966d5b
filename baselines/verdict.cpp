#include "baselines/verdict.h"

#include <fmt/format.h>

#include "baselines/json_fields.h"
#include "baselines/json_file.h"

namespace narrowgate {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

template <class Fields, class Record>
void cell_fields(Fields& f, Record& cell) {
  f("id", cell.id);
  f("state", cell.state);
  f("reason", cell.reason);
  f("time_state", cell.time_state);
  f("time_reason", cell.time_reason);
  f("rerun", cell.rerun);
  f("baseline_bound_fraction", cell.baseline_bound_fraction);
  f.nullable("baseline_time_ns", cell.baseline_time_ns);
  f.nullable("time_ratio", cell.time_ratio);
}

template <class State>
ordered_json counts_json(const Counts<State>& counts) {
  ordered_json object = ordered_json::object();
  for (std::size_t i = 0; i < counts.of.size(); ++i) object[std::string(Names<State>::value[i])] = counts.of[i];
  object["total"] = counts.total;
  return object;
}

template <class State>
void read_counts(FieldReader& parent, const char* key, Counts<State>& counts) {
  FieldReader f(*parent.find(key), parent.place_of(key));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts.of.size(); ++i) {
    f(std::string(Names<State>::value[i]).c_str(), counts.of[i]);
    sum += counts.of[i];
  }
  f("total", counts.total);
  if (sum != counts.total) f.fail("total", "the states do not add up to it");
  if (f.error()) parent.fail_with(*f.error());
}

ordered_json cell_json(const CellVerdict& cell) {
  FieldWriter f;
  cell_fields(f, cell);
  ordered_json object = f.take();
  object["row"] = cell.row ? to_json(*cell.row) : ordered_json(nullptr);
  object["baseline"] = cell.baseline ? to_json(*cell.baseline) : ordered_json(nullptr);
  return object;
}

tl::expected<CellVerdict, Error> cell_from_json(const json& value, const Place& place) {
  CellVerdict cell;
  FieldReader f(value, place);
  cell_fields(f, cell);
  if (const json* row = f.find("row"); row != nullptr && !row->is_null()) {
    tl::expected<Row, Error> read = row_from_json(*row, f.place_of("row"));
    if (!read) return tl::unexpected(read.error());
    cell.row = std::move(*read);
  }
  if (const json* line = f.find("baseline"); line != nullptr && !line->is_null()) {
    tl::expected<AccuracyLine, Error> read = accuracy_line_from_json(*line, f.place_of("baseline"));
    if (!read) return tl::unexpected(read.error());
    cell.baseline = std::move(*read);
  }
  if (f.error()) return tl::unexpected(*f.error());
  return cell;
}

ordered_json summary_json(const BaselineSummary& summary) {
  return {{"path", summary.path},
          {"cases", summary.cases},
          {"timing_keys", summary.timing_keys},
          {"published", summary.published ? ordered_json::parse(*summary.published) : ordered_json(nullptr)}};
}

void read_summary(FieldReader& parent, BaselineSummary& summary) {
  FieldReader f(*parent.find("baseline"), parent.place_of("baseline"));
  f("path", summary.path);
  f("cases", summary.cases);
  f.unless_empty("timing_keys", summary.timing_keys);
  if (const json* published = f.find("published"); published != nullptr && !published->is_null()) {
    summary.published = published->dump();
  }
  if (f.error()) parent.fail_with(*f.error());
}

void read_results_files(FieldReader& parent, std::vector<ResultsFile>& files) {
  for (const json& item : *parent.find("results")) {
    ResultsFile file;
    FieldReader f(item, parent.place_of("results"));
    f("path", file.path);
    f("xxh3", file.xxh3);
    if (f.error()) return parent.fail_with(*f.error());
    files.push_back(std::move(file));
  }
}

template <class Record, class Read>
void read_list(FieldReader& parent, const char* key, std::vector<Record>& records, Read read) {
  const json& items = *parent.find(key);
  const Place place = parent.place_of(key);
  records.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    tl::expected<Record, Error> record = read(items[i], Place{place.origin, fmt::format("{}/{}", place.pointer, i)});
    if (!record) return parent.fail_with(record.error());
    records.push_back(std::move(*record));
  }
}

ordered_json head_json(const Verdict& verdict) {
  ordered_json results = ordered_json::array();
  for (const ResultsFile& file : verdict.results) results.push_back({{"path", file.path}, {"xxh3", file.xxh3}});
  return {{"schema", "narrowgate.verdict/1"},
          {"exit_code", verdict.exit_code},
          {"sentence", verdict.sentence},
          {"reasons", verdict.reasons},
          {"counts", counts_json(verdict.counts)},
          {"time_counts", counts_json(verdict.time_counts)},
          {"results", std::move(results)},
          {"baseline", summary_json(verdict.baseline)},
          {"context", to_json(verdict.context)},
          {"attention", verdict.attention}};
}

template <class Records, class Write>
std::string lines(const Records& records, Write write) {
  std::string text;
  for (const auto& record : records) text += (text.empty() ? "\n" : ",\n") + write(record).dump();
  return text;
}

}  // namespace

tl::expected<std::string, Error> verdict_text(const Verdict& verdict) {
  try {
    std::string text = "{\n";
    const ordered_json head = head_json(verdict);
    for (const auto& [key, value] : head.items()) text += fmt::format("\"{}\": {},\n", key, value.dump());
    text += "\"cells\": [" + lines(verdict.cells, cell_json) + "\n],\n";
    text += "\"cases\": [" + lines(verdict.cases, [](const CaseProfile& profile) { return to_json(profile); }) + "\n]\n}\n";
    return text;
  } catch (const json::exception&) {
    return tl::unexpected(Error{"the verdict holds text that is not UTF-8"});
  }
}

tl::expected<Verdict, Error> parse_verdict(std::string_view text, const std::string& origin) {
  const tl::expected<json, Error> whole = parse_json(text, origin, "verdict.schema.json");
  if (!whole) return tl::unexpected(whole.error());
  Verdict verdict;
  FieldReader f(*whole, {origin, ""});
  std::int64_t exit_code = 0;
  f("exit_code", exit_code);
  verdict.exit_code = static_cast<int>(exit_code);
  f("sentence", verdict.sentence);
  f.unless_empty("reasons", verdict.reasons);
  read_counts(f, "counts", verdict.counts);
  read_counts(f, "time_counts", verdict.time_counts);
  read_results_files(f, verdict.results);
  read_summary(f, verdict.baseline);
  f("attention", verdict.attention);
  read_list(f, "cells", verdict.cells, cell_from_json);
  read_list(f, "cases", verdict.cases, case_from_json);
  tl::expected<RunContext, Error> context = context_from_json((*whole)["context"], f.place_of("context"));
  if (!context) return tl::unexpected(context.error());
  verdict.context = std::move(*context);
  if (f.error()) return tl::unexpected(*f.error());
  if (verdict.counts.total != static_cast<std::int64_t>(verdict.cells.size())) {
    return tl::unexpected(Error{fmt::format("{}: /counts/total: {} where {} cells are listed", origin,
                                            verdict.counts.total, verdict.cells.size())});
  }
  return verdict;
}

tl::expected<Verdict, Error> read_verdict(const std::string& path) {
  const tl::expected<std::string, Error> text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_verdict(*text, path);
}

tl::expected<void, Error> write_verdict(const std::string& path, const Verdict& verdict) {
  const tl::expected<std::string, Error> text = verdict_text(verdict);
  if (!text) return tl::unexpected(Error{fmt::format("{}: {}", path, text.error().message)});
  if (const auto readable = parse_verdict(*text, path); !readable) return tl::unexpected(readable.error());
  return write_text_atomically(path, *text);
}

}  // namespace narrowgate
