// The JSON Schemas of a configuration, from the table of options.

#include <limits>

#include <nlohmann/json.hpp>

#include "config/schema.hpp"

namespace spsolve::inline config {

namespace {

using Json = nlohmann::ordered_json;

bool is_switch(const Option& option) {
  return option.words.data() == std::data(switch_words);
}

/// The type of one value, without null.
Json type_of(const Option& option) {
  Json schema;
  schema["description"] = option.help;
  switch (option.type) {
    case OptionType::integer:
      schema["type"] = "integer";
      if (option.minimum > -std::numeric_limits<Index>::max()) schema["minimum"] = option.minimum;
      if (option.maximum < std::numeric_limits<Index>::max()) schema["maximum"] = option.maximum;
      break;
    case OptionType::choice:
      if (is_switch(option)) {
        schema["type"] = "boolean";
      } else {
        schema["enum"] = option.words;
        if (understood(option, "true") != "true") {  // of on and off
          schema["enum"].push_back(true);
          schema["enum"].push_back(false);
        }
      }
      break;
    case OptionType::number:
      schema["anyOf"] =
          Json::array({{{"type", "number"}, {"exclusiveMinimum", 0}}, {{"const", "auto"}}});
      break;
    case OptionType::output_path:
      schema["type"] = "string";
      break;
    default:
      schema["type"] = "string";
      schema["minLength"] = 1;
  }
  return schema;
}

Json or_null(const Json& schema) {
  Json either;
  if (const auto found = schema.find("description"); found != schema.end()) {
    either["description"] = *found;
  }
  either["anyOf"] = Json::array({schema, {{"type", "null"}}});
  either["anyOf"][0].erase("description");
  return either;
}

Json object() {
  return {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
}

/// An object with the options of every section; make(option) is the schema of its value.
template <typename Make>
Json object_of_options(const Make& make) {
  Json schema = object();
  for (const Option& option : options()) {
    const std::size_t dot = option.key.find('.');
    Json* parent = &schema["properties"];
    if (dot != std::string_view::npos) {
      Json& section = (*parent)[std::string(option.key.substr(0, dot))];
      if (section.is_null()) {
        section = object();
        section["description"] = find_section(option.key.substr(0, dot))->help;
      }
      parent = &section["properties"];
    }
    (*parent)[std::string(option.key.substr(dot + 1))] = make(option);  // npos + 1 is 0
  }
  return schema;
}

void require_all(Json& schema) {
  if (!schema.contains("properties")) return;
  Json keys = Json::array();
  for (auto& [key, value] : schema["properties"].items()) {
    keys.push_back(key);
    require_all(value);
  }
  schema["required"] = std::move(keys);
}

}  // namespace

Json configuration_schema() {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"$id", "urn:spsolve:configuration:1"},
              {"title", "Configuration of spsolve, version 1"}};
  schema.update(object_of_options([](const Option& option) {
    return option.type == OptionType::output_path ? or_null(type_of(option)) : type_of(option);
  }));
  schema["required"] = {"matrix"};
  Json& sections_of = schema["properties"];
  sections_of["matrix"]["oneOf"] =
      Json::array({{{"required", {"file"}}}, {{"required", {"generate"}}}});
  // A file is a right-hand side of kind: file, which it implies.
  sections_of["right_hand_side"]["if"] = {{"required", {"file"}}};
  sections_of["right_hand_side"]["then"] = {{"properties", {{"kind", {{"const", "file"}}}}}};
  sections_of["right_hand_side"]["else"] = {
      {"properties", {{"kind", {{"not", {{"const", "file"}}}}}}}};
  // Who requires a checkpoint, or a time limit, says where checkpoints lie.
  Json& checkpoint = sections_of["checkpoint"];
  checkpoint["if"] = {
      {"anyOf",
       {{{"required", {"resume"}}, {"properties", {{"resume", {{"const", "require"}}}}}},
        {{"required", {"time_limit"}}, {"properties", {{"time_limit", {{"minimum", 1}}}}}}}}};
  checkpoint["then"] = {{"required", {"directory"}},
                        {"properties", {{"directory", {{"type", "string"}, {"minLength", 1}}}}}};
  for (const Section& section : sections()) {
    Json& whole = sections_of[std::string(section.name)];
    Json forms = Json::array();
    if (section.shorthand != nullptr) {
      forms.push_back({{"description", section.shorthand_help}, {"type", "string"}});
    }
    if (section.name != "matrix") forms.push_back({{"type", "null"}});  // an empty section
    Json description = whole["description"];
    whole.erase("description");
    forms.push_back(whole);
    whole = {{"description", std::move(description)}, {"anyOf", std::move(forms)}};
  }
  return schema;
}

Json configuration_values_schema() {
  Json schema = object_of_options([](const Option& option) {
    return option.get(Config{}).empty() || option.type == OptionType::output_path
               ? or_null(type_of(option))
               : type_of(option);
  });
  require_all(schema);
  return schema;
}

}  // namespace spsolve::config
