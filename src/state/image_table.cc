#include "state/image_table.h"

#include <algorithm>

namespace ksched {

NodeImages ImageTable::Replace(const NodeImages& on_node, const std::vector<api::ContainerImage>& images,
                               OwnImageSizes& sizes) {
  free_.insert(free_.end(), freed_.begin(), freed_.end());
  freed_.clear();
  if (on_node != nullptr) {
    for (const NodeImage& image : *on_node) --entries_[image.id].node_count;
  }
  sizes.clear();
  std::vector<NodeImage> now;
  for (const api::ContainerImage& image : images) {
    for (const std::string& name : image.names) {
      const ImageId id = Count(name, image.size_bytes);
      Entry& entry = entries_[id];
      if (entry.counted) continue;  // the node lists it twice
      entry.counted = true;
      now.push_back({id, ++entry.node_count});
      if (entry.image->size_bytes != image.size_bytes) sizes.emplace_back(id, image.size_bytes);
    }
  }
  for (const NodeImage& image : now) entries_[image.id].counted = false;
  if (on_node != nullptr) {
    for (const NodeImage& image : *on_node) {
      if (entries_[image.id].image != nullptr && entries_[image.id].node_count == 0) Forget(image.id);
    }
  }
  if (now.empty()) return nullptr;
  std::sort(now.begin(), now.end(), [](const NodeImage& a, const NodeImage& b) { return a.id < b.id; });
  if (on_node != nullptr && now == *on_node) return on_node;
  now.shrink_to_fit();
  return std::make_shared<const std::vector<NodeImage>>(std::move(now));
}

// The id of an image that the node at hand has. One that no other node has is what this node says of it.
ImageId ImageTable::Count(const std::string& name, int64_t size_bytes) {
  const auto found = ids_.find(name);
  if (found == ids_.end()) return Make(name, size_bytes);
  const ImageId id = found->second;
  if (entries_[id].node_count > 0 || entries_[id].image->size_bytes == size_bytes) return id;
  Forget(id);
  return Make(name, size_bytes);
}

ImageId ImageTable::Make(const std::string& name, int64_t size_bytes) {
  auto id = static_cast<ImageId>(entries_.size());
  if (free_.empty()) {
    entries_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  entries_[id].image = std::make_shared<const Image>(Image{name, id, size_bytes});
  ids_.emplace(entries_[id].image->name, id);
  if (tracks_) changes_.push_back(name);
  return id;
}

void ImageTable::Forget(ImageId id) {
  if (tracks_) changes_.push_back(entries_[id].image->name);
  ids_.erase(std::string_view(entries_[id].image->name));
  entries_[id] = Entry();
  freed_.push_back(id);
}

std::vector<ImagePtr> ImageTable::All() const {
  std::vector<ImagePtr> images;
  for (const Entry& entry : entries_) {
    if (entry.image != nullptr) images.push_back(entry.image);
  }
  return images;
}

void ImageTable::Follow(std::string_view name, const ImagePtr& image) {
  if (const auto found = ids_.find(name); found != ids_.end()) {
    const ImageId id = found->second;
    ids_.erase(found);
    entries_[id].image.reset();
  }
  if (image == nullptr) return;
  if (entries_.size() <= image->id) entries_.resize(image->id + 1);
  ImagePtr& place = entries_[image->id].image;
  if (place != nullptr) ids_.erase(std::string_view(place->name));  // its id is another one's now
  place = image;
  ids_.emplace(image->name, image->id);
}

std::vector<api::ContainerImage> ImageTable::Reported(const NodeImages& on_node, const OwnImageSizes& sizes) const {
  std::vector<api::ContainerImage> images;
  if (on_node == nullptr) return images;
  for (const NodeImage& image : *on_node) {
    const auto own = std::find_if(sizes.begin(), sizes.end(), [&](const auto& size) { return size.first == image.id; });
    const Image& known = *entries_[image.id].image;
    images.push_back({{known.name}, own != sizes.end() ? own->second : known.size_bytes});
  }
  return images;
}

bool ImageTable::Refresh(NodeImages& on_node) const {
  const auto is_old = [this](const NodeImage& image) { return image.node_count != entries_[image.id].node_count; };
  if (on_node == nullptr || std::none_of(on_node->begin(), on_node->end(), is_old)) return false;
  auto now = std::make_shared<std::vector<NodeImage>>(*on_node);
  for (NodeImage& image : *now) image.node_count = entries_[image.id].node_count;
  on_node = std::move(now);
  return true;
}

}  // namespace ksched
