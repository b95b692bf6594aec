#include "config/yaml_tree.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace spsolve::inline config {

namespace {

constexpr std::size_t most_levels = 8;

/// Builds the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::vector<YamlProblem>& problems) : problems_(problems) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(node(YamlNode::Kind::null, mark, "", anchor));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "anchors and aliases are not supported");
    finish(node(YamlNode::Kind::refused, mark, "", YAML::NullAnchor));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode scalar = node(YamlNode::Kind::scalar, mark, tag, anchor);
    scalar.text = value;
    scalar.quoted = tag == "!";
    finish(std::move(scalar));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(node(YamlNode::Kind::sequence, mark, tag, anchor), mark);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(node(YamlNode::Kind::mapping, mark, tag, anchor), mark);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A mapping or sequence that is not complete yet; `key` waits for its value.
  struct OpenNode {
    YamlNode node;
    std::optional<YamlNode> key;
  };

  void refuse(const YAML::Mark& mark, std::string sentence) {
    problems_.push_back({mark.line + 1, mark.column + 1, std::move(sentence)});
  }

  YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor) {
    YamlNode result;
    result.kind = kind;
    result.line = mark.line + 1;
    result.column = mark.column + 1;
    if (anchor != YAML::NullAnchor) {
      refuse(mark, "anchors and aliases are not supported");
      result.kind = YamlNode::Kind::refused;
    } else if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(mark, "tags are not supported");
      result.kind = YamlNode::Kind::refused;
    }
    return result;
  }

  void open(YamlNode node, const YAML::Mark& mark) {
    if (levels_.size() == most_levels) {
      throw YAML::ParserException(mark, fmt::format("more than {} levels", most_levels));
    }
    levels_.push_back({std::move(node), std::nullopt});
  }

  void close() {
    YamlNode node = std::move(levels_.back().node);
    levels_.pop_back();
    finish(std::move(node));
  }

  void finish(YamlNode node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& level = levels_.back();
    if (level.node.kind != YamlNode::Kind::mapping) {
      return;  // elements of a list, or what stands inside a refused node
    }
    if (!level.key) {
      level.key = std::move(node);
    } else {
      level.node.entries.push_back({std::move(*level.key), std::move(node)});
      level.key.reset();
    }
  }

  std::vector<YamlProblem>& problems_;
  std::vector<OpenNode> levels_;
  YamlNode root_;
};

/// Notes where a second document begins.
class SecondDocument : public TreeBuilder {
 public:
  using TreeBuilder::TreeBuilder;
  void OnDocumentStart(const YAML::Mark& mark) override { begin = mark; }
  YAML::Mark begin;
};

/// The complaint of yaml-cpp about a text, in words of what stands there and what to do where they
/// are known.
std::string_view told(std::string_view message) {
  static const std::pair<std::string_view, std::string_view> table[] = {
      {YAML::ErrorMsg::END_OF_MAP_FLOW, "a '{' is not closed before here; add the '}'"},
      {YAML::ErrorMsg::END_OF_SEQ_FLOW, "a '[' is not closed before here; add the ']'"},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "a quotation mark is not closed before here; add the second"},
      {YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab indents this line; take spaces"},
      {YAML::ErrorMsg::END_OF_MAP,
       "this line is indented otherwise than the keys beside it; indent them by as many spaces"},
      {YAML::ErrorMsg::MAP_VALUE,
       "a ':' with a value after it is not expected here; put a text that contains one between "
       "quotation marks, and indent keys that belong together by as many spaces"},
  };
  for (const auto& [said, words] : table) {
    if (message == said) return words;
  }
  return message;
}

}  // namespace

YamlNode parse_yaml(std::string_view text, std::vector<YamlProblem>& problems) {
  // yaml-cpp takes a newline at the very end for the end of a quoted text that is not closed.
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder first(problems);
    if (!parser.HandleNextDocument(first)) return {};
    std::vector<YamlProblem> ignored;
    SecondDocument second(ignored);
    if (parser.HandleNextDocument(second)) {
      problems.push_back({second.begin.line + 1, second.begin.column + 1,
                          "a second document begins, and a configuration is one document"});
    }
    return first.take_root();
  } catch (const YAML::Exception& error) {
    problems.push_back({std::max(error.mark.line, 0) + 1, std::max(error.mark.column, 0) + 1,
                        fmt::format("this is not valid YAML: {}", told(error.msg))});
    return {};
  }
}

}  // namespace spsolve::config
