#include "report/report_schema.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/schema.hpp"
#include "solve/trust/trust.hpp"

namespace spsolve::inline report {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto always = FieldPresence::always;
constexpr auto finished = FieldPresence::finished;
constexpr auto failed = FieldPresence::failed;
constexpr auto solve = FieldPresence::solve;
constexpr auto multiply = FieldPresence::multiply;

/// The statuses of a run that came to its end.
const Json finished_statuses(verdict_words);

/// One that did not.
const Json ended_statuses{"failed", "stopped"};

Json type_of(const ReportField& field) {
  switch (field.type) {
    case FieldType::text:
      return {{"type", "string"}};
    case FieldType::texts:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case FieldType::integer:
      return {{"type", "integer"}, {"minimum", 0}};
    case FieldType::integer_or_null:
      return {{"type", {"integer", "null"}}, {"minimum", 0}};
    case FieldType::number:
      return {{"type", {"number", "null"}}};
    case FieldType::boolean:
      return {{"type", "boolean"}};
    case FieldType::numbers:
      return {{"type", "array"}, {"items", {{"type", {"number", "null"}}}}};
    case FieldType::text_by_name:
      return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    case FieldType::configuration:
      return configuration_values_schema();
  }
  return {};
}

bool is_required(FieldPresence presence) {
  return presence == always || presence == solve || presence == multiply;
}

/// Whether a field may be absent even where the object around it is there.
bool is_optional(FieldPresence presence) {
  return presence == FieldPresence::sometimes;
}

void require(Json& object, const std::string& name) {
  Json& names = object["required"];
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Puts the field into the object whose fields are at `path` and below. A field inside an object or
/// a list that may be absent is required where that is there.
void add(Json& object, std::string_view path, const ReportField& field, bool required) {
  const std::size_t dot = path.find('.');
  std::string name(path.substr(0, dot));
  const bool is_list = name.ends_with("[]");
  const bool may_be_null = name.ends_with('?');
  if (is_list) name.resize(name.size() - 2);
  if (may_be_null) name.pop_back();
  if (required && name != "*") require(object, name);
  Json& place = name == "*" ? object["additionalProperties"] : object["properties"][name];
  if (dot == std::string_view::npos) {
    place = type_of(field);
    place["description"] = field.help;
    return;
  }
  if (!place.is_object()) {
    Json inner = Json::object();
    inner["type"] = "object";
    if (may_be_null) inner["type"] = {"object", "null"};
    inner["additionalProperties"] = false;
    place = Json::object();
    if (is_list) {
      place["type"] = "array";
      place["items"] = std::move(inner);
    } else {
      place = std::move(inner);
    }
  }
  add(is_list ? place["items"] : place, path.substr(dot + 1), field, !is_optional(field.presence));
}

std::string_view first_word(std::string_view path) {
  return path.substr(0, path.find_first_of(".[?"));
}

bool only_for(const ReportField& field, Task task) {
  const FieldPresence other = task == Task::solve ? solve : multiply;
  const FieldPresence maybe =
      task == Task::solve ? FieldPresence::solve_sometimes : FieldPresence::multiply_sometimes;
  return field.presence == other || field.presence == maybe;
}

/// The fields that a report of a run that came to its end must hold beyond the rest, and those of
/// one that did not.
Json rule_for_ends(std::span<const ReportField> fields) {
  Json rule;
  rule["if"]["properties"]["status"]["enum"] = finished_statuses;
  rule["else"]["if"]["properties"]["status"]["enum"] = ended_statuses;
  for (const ReportField& field : fields) {
    const std::string word(first_word(field.path));
    if (field.presence == finished) require(rule["then"], word);
    if (field.presence != failed) continue;
    require(rule["else"]["then"], word);
    rule["then"]["properties"][word] = false;
    rule["else"]["else"]["properties"][word] = false;
  }
  return rule;
}

/// The fields that a report of a `task` that came to its end must hold beyond the rest, and those
/// that it must not.
Json rule_for(std::span<const ReportField> fields, Task task) {
  const Task other = task == Task::solve ? Task::multiply : Task::solve;
  Json rule;
  Json& asked = rule["if"]["properties"];
  asked["configuration"] = {{"properties", {{"task", {{"const", name(task)}}}}}};
  asked["status"]["enum"] = finished_statuses;
  for (const ReportField& field : fields) {
    const std::string word(first_word(field.path));
    if (only_for(field, task) && is_required(field.presence)) require(rule["then"], word);
    if (only_for(field, other)) rule["then"]["properties"][word] = false;
  }
  return rule;
}

}  // namespace

Json schema_of_fields(std::span<const ReportField> fields) {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"$id", fmt::format("urn:spsolve:report:{}", report_version)},
              {"title", fmt::format("Report of spsolve, version {}", report_version)},
              {"type", "object"},
              {"properties", Json::object()},
              {"additionalProperties", false}};
  for (const ReportField& field : fields) {
    add(schema, field.path, field, field.presence == always);
  }
  schema["allOf"] = Json::array(
      {rule_for(fields, Task::solve), rule_for(fields, Task::multiply), rule_for_ends(fields)});
  return schema;
}

Json report_schema() {
  Json schema = schema_of_fields(report_fields());
  schema["properties"]["report_version"]["const"] = report_version;
  Json& statuses = schema["properties"]["status"]["enum"] = finished_statuses;
  statuses.insert(statuses.end(), ended_statuses.begin(), ended_statuses.end());
  statuses.push_back("running");
  return schema;
}

}  // namespace spsolve::report
