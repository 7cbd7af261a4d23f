// ImageTable: which images are on which nodes. An image's size is the one that the first node with it reported; how
// many nodes have it is counted, but a node sees the count of the moment when it was last taken into the snapshot, as
// in the reference (addNodeImageStates and removeNodeImageStates in pkg/scheduler/backend/cache/cache.go, v1.37.2).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/types.h"

namespace ksched {

using ImageId = uint32_t;

// An image that some node has. Never changed: another size is another image.
struct Image {
  std::string name;
  ImageId id = 0;
  int64_t size_bytes = 0;
};
using ImagePtr = std::shared_ptr<const Image>;

// One image on one node, as the snapshot has it.
struct NodeImage {
  ImageId id = 0;
  int32_t node_count = 0;
  bool operator==(const NodeImage&) const = default;
};
// Sorted by id; null: none.
using NodeImages = std::shared_ptr<const std::vector<NodeImage>>;

// The sizes that a node itself reports, where another node's count.
using OwnImageSizes = std::vector<std::pair<ImageId, int64_t>>;

class ImageTable {
 public:
  // The node had the images `on_node` and has `images` now: counts them out and in, each name once per node. Node
  // counts in what it returns are those of now. An image that no node has any more is forgotten, with its size.
  NodeImages Replace(const NodeImages& on_node, const std::vector<api::ContainerImage>& images, OwnImageSizes& sizes);
  // What the node reported, as far as it says anything: a list that gives the same again.
  std::vector<api::ContainerImage> Reported(const NodeImages& on_node, const OwnImageSizes& sizes) const;
  // Brings the node counts up to date. Returns whether any changed.
  bool Refresh(NodeImages& on_node) const;

  // From now on it is noted which images come and go (TakeChanges).
  void TrackChanges() { tracks_ = true; }
  // The names of those since the last call, some of them more than once.
  std::vector<std::string> TakeChanges() { return std::exchange(changes_, {}); }
  std::vector<ImagePtr> All() const;
  // Of a table that follows another one: what the image of this name is there; null: it is gone.
  void Follow(std::string_view name, const ImagePtr& image);

  // The image by (normalised) name; null if no node has it now.
  const Image* Find(std::string_view name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? nullptr : entries_[found->second].image.get();
  }
  ImagePtr FindShared(std::string_view name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? nullptr : entries_[found->second].image;
  }

 private:
  struct Entry {
    ImagePtr image;  // null: the id is free
    int32_t node_count = 0;
    bool counted = false;  // scratch: already seen on the node at hand
  };
  ImageId Count(const std::string& name, int64_t size_bytes);
  ImageId Make(const std::string& name, int64_t size_bytes);
  void Forget(ImageId id);

  boost::unordered_flat_map<std::string_view, ImageId> ids_;
  std::vector<Entry> entries_;
  std::vector<ImageId> free_;
  std::vector<ImageId> freed_;  // since the last Replace began: for others than the node at hand
  bool tracks_ = false;
  std::vector<std::string> changes_;
};

}  // namespace ksched
