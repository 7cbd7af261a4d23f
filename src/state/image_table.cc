#include "state/image_table.h"

#include <algorithm>

namespace ksched {

void ImageTable::AddNode(const std::vector<api::ContainerImage>& images, std::vector<NodeImage>& on_node) {
  on_node.clear();
  for (const api::ContainerImage& image : images) {
    for (const std::string& name : image.names) {
      auto [entry, added] = ids_.try_emplace(name, static_cast<ImageId>(images_.size()));
      if (added) images_.push_back({image.size_bytes, 0, false});
      Image& known = images_[entry->second];
      if (known.counted) continue;  // the node lists it twice
      known.counted = true;
      ++known.node_count;
      on_node.push_back({entry->second, known.size_bytes, known.node_count});
    }
  }
  for (const NodeImage& image : on_node) images_[image.id].counted = false;
  std::sort(on_node.begin(), on_node.end(), [](const NodeImage& a, const NodeImage& b) { return a.id < b.id; });
}

void ImageTable::RemoveNode(const std::vector<api::ContainerImage>& images) {
  std::vector<ImageId> done;
  for (const api::ContainerImage& image : images) {
    for (const std::string& name : image.names) {
      auto entry = ids_.find(name);
      if (entry == ids_.end()) continue;
      Image& known = images_[entry->second];
      if (known.counted) continue;
      known.counted = true;
      done.push_back(entry->second);
      if (--known.node_count == 0) ids_.erase(entry);
    }
  }
  for (ImageId id : done) images_[id].counted = false;
}

bool ImageTable::Refresh(std::vector<NodeImage>& on_node) const {
  bool changed = false;
  for (NodeImage& image : on_node) {
    changed |= image.node_count != images_[image.id].node_count;
    image.node_count = images_[image.id].node_count;
  }
  return changed;
}

bool ImageTable::Find(const std::string& name, ImageId& id) const {
  auto found = ids_.find(name);
  if (found == ids_.end()) return false;
  id = found->second;
  return true;
}

}  // namespace ksched
