#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/report_schema.hpp"

namespace spsolve {
namespace {

using Json = nlohmann::ordered_json;

TEST(ReportFields, HaveOneRowEach) {
  std::set<std::string_view> paths;
  for (const ReportField& field : report_fields()) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_TRUE(field.help.ends_with('.')) << field.path;
  }
}

TEST(ReportFields, MakeASchemaOfEveryKindOfPath) {
  constexpr ReportField table[] = {
      {"a", FieldType::integer, FieldPresence::always, "A."},
      {"b.c", FieldType::number, FieldPresence::solve, "B."},
      {"b.d", FieldType::text, FieldPresence::sometimes, "D."},
      {"phases.*.min", FieldType::number, FieldPresence::finished, "Min."},
      {"failure.message", FieldType::text, FieldPresence::failed, "Message."},
      {"list[].gpu?.name", FieldType::text, FieldPresence::multiply_sometimes, "Name."},
      {"list[].node", FieldType::integer_or_null, FieldPresence::multiply_sometimes, "Node."},
  };
  const Json schema = schema_of_fields(table);
  EXPECT_EQ(schema["required"], Json({"a"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  const Json& properties = schema["properties"];
  EXPECT_EQ(properties["a"]["type"], "integer");
  EXPECT_EQ(properties["b"]["required"], Json({"c"}));
  EXPECT_EQ(properties["b"]["properties"]["d"]["type"], "string");
  const Json& phase = properties["phases"]["additionalProperties"];
  EXPECT_EQ(phase["required"], Json({"min"}));
  EXPECT_EQ(phase["additionalProperties"], false);
  const Json& item = properties["list"]["items"];
  EXPECT_EQ(properties["list"]["type"], "array");
  EXPECT_EQ(item["properties"]["gpu"]["type"], Json({"object", "null"}));
  EXPECT_EQ(item["properties"]["gpu"]["required"], Json({"name"}));
  EXPECT_EQ(item["properties"]["node"]["type"], Json({"integer", "null"}));
  // b belongs to solve, list to multiply.
  EXPECT_EQ(schema["allOf"][0]["then"]["required"], Json({"b"}));
  EXPECT_EQ(schema["allOf"][0]["then"]["properties"]["list"], false);
  EXPECT_EQ(schema["allOf"][1]["then"]["properties"]["b"], false);
  EXPECT_FALSE(schema["allOf"][1]["then"].contains("required"));
  // Only runs that came to their end have phases, only others a failure.
  EXPECT_EQ(schema["allOf"][2]["then"]["required"], Json({"phases"}));
  EXPECT_EQ(schema["allOf"][2]["then"]["properties"]["failure"], false);
  // A run that is under way has no failure yet.
  EXPECT_EQ(schema["allOf"][2]["else"]["then"]["required"], Json({"failure"}));
  EXPECT_EQ(schema["allOf"][2]["else"]["else"]["properties"]["failure"], false);
}

}  // namespace
}  // namespace spsolve
