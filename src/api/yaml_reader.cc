#include "api/yaml_reader.h"

#include <cstdint>
#include <string>

#include "api/yaml_dom.h"
#include "api/yaml_events.h"
#include "api/yaml_nodes.h"

namespace ksched::api {
namespace {

class YamlReader {
 public:
  YamlReader(InputSource& source, int lines_before, DocumentSink& sink)
      : events_(source, lines_before), builder_(nodes_), sink_(sink) {}

  void Read() {
    while (events_.Next()) {
      switch (events_.event().type) {
        case YAML_STREAM_END_EVENT:
          return;
        case YAML_DOCUMENT_START_EVENT:
          BeginDocument();
          break;
        case YAML_DOCUMENT_END_EVENT:
          if (!EndDocument()) return;
          break;
        case YAML_STREAM_START_EVENT:
        case YAML_NO_EVENT:
          break;
        default:
          if (!AddNode()) return;
      }
    }
    sink_.Fail(events_.problem_position(), events_.problem());
  }

 private:
  // Whether the items of the document's root are delivered one by one.
  enum class Items { kNone, kFirst, kStreamed, kKept };

  void BeginDocument() {
    nodes_.Clear();
    builder_.BeginDocument();
    items_ = Items::kNone;
    items_node_ = 0;
  }

  bool AddNode() {
    const yaml_event_t& event = events_.event();
    const size_t depth = nodes_.open().size();
    const bool in_items = items_node_ != 0 && depth >= 2 && nodes_.open()[1] == items_node_;
    if (in_items && depth == 2 && event.type != YAML_SEQUENCE_END_EVENT) item_ = nodes_.size();
    if (std::string problem = nodes_.Add(events_); !problem.empty()) {
      return sink_.Fail(events_.PositionOf(event.start_mark), std::move(problem));
    }
    if (in_items && nodes_.open().size() == 2) return EndItem();
    if (event.type == YAML_SEQUENCE_START_EVENT && depth == 1 && items_ == Items::kNone) BeginItems();
    return true;
  }

  // A sequence has begun in the root: are these the items of a list?
  void BeginItems() {
    const uint32_t sequence = nodes_.open()[1];
    const YamlNode& key = nodes_[sequence - 1];
    const bool is_value = nodes_[0].kind == YamlNode::Kind::kMapping && sequence >= 2 &&
                          key.kind == YamlNode::Kind::kScalar && key.text == "items";
    // An alias to the root or to the items would want what has been given away.
    if (!is_value || events_.event().data.sequence_start.anchor != nullptr || nodes_.anchored()) return;
    items_ = Items::kFirst;
    items_node_ = sequence;
  }

  bool EndItem() {
    if (items_ == Items::kFirst) DecideAtFirstItem();
    if (items_ != Items::kStreamed) return true;
    Json item;
    const YamlLocator locator(nodes_, item_);
    if (!builder_.Build(item_, item, item_pool_)) return FailBuild();
    if (!sink_.DeliverItem(item, header_, item_pool_, locator)) return false;
    item_pool_.Clear();
    if (!nodes_.anchored()) {
      nodes_.Truncate(item_);
      nodes_.KeepText();
    }
    return true;
  }

  // `kubectl get -o yaml` writes the kind behind the items, but then every item says its own.
  void DecideAtFirstItem() {
    const YamlNode* kind = nodes_.FindScalar(0, "kind");
    const YamlNode* api_version = nodes_.FindScalar(0, "apiVersion");
    const bool list = kind != nullptr ? IsListKind(kind->text)
                                      : nodes_.FindScalar(item_, "kind") && nodes_.FindScalar(item_, "apiVersion");
    items_ = list ? Items::kStreamed : Items::kKept;
    if (!list) return;
    nodes_[items_node_].emptied = true;
    header_ = {.api_version = std::string(api_version != nullptr ? api_version->text : ""),
               .kind = std::string(kind != nullptr ? kind->text : "")};
  }

  bool EndDocument() {
    if (nodes_.size() == 0) return true;
    Json root;
    JsonPool pool;
    if (!builder_.Build(0, root, pool)) return FailBuild();
    const YamlLocator locator(nodes_, 0);
    if (items_ != Items::kStreamed) return sink_.Deliver(root, pool, locator);
    const std::string_view kind = StringMember(root, "kind");
    if (IsListKind(kind)) return true;
    return sink_.Fail(locator.Locate(FieldPath().Child("kind").Segments()), NotAListMessage(kind));
  }

  bool FailBuild() { return sink_.Fail(builder_.problem_position(), builder_.problem()); }

  YamlEvents events_;
  YamlNodes nodes_;
  YamlBuilder builder_;
  DocumentSink& sink_;
  JsonPool item_pool_;
  Items items_ = Items::kNone;
  uint32_t items_node_ = 0;  // the sequence; 0 when there is none
  uint32_t item_ = 0;        // the item being read
  ListHeader header_;
};

}  // namespace

void ReadYaml(InputSource& source, int lines_before, DocumentSink& sink) {
  YamlReader(source, lines_before, sink).Read();
}

}  // namespace ksched::api
