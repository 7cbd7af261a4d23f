// ImageTable: which images are on which nodes. An image's size is the one that the first node with it reported; how
// many nodes have it is counted, but a node sees the count of the moment when it was last taken into the snapshot, as
// in the reference (addNodeImageStates and removeNodeImageStates in pkg/scheduler/backend/cache/cache.go, v1.37.2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/types.h"

namespace ksched {

using ImageId = uint32_t;

// One image on one node, as the snapshot has it.
struct NodeImage {
  ImageId id = 0;
  int64_t size_bytes = 0;
  int32_t node_count = 0;
  bool operator==(const NodeImage&) const = default;
};

class ImageTable {
 public:
  // Counts the node's images in, each name once per node; `on_node` becomes the list of them, sorted by id. Node counts
  // in it are those of now.
  void AddNode(const std::vector<api::ContainerImage>& images, std::vector<NodeImage>& on_node);
  // Counts them out. An image that no node has any more is forgotten, with its size.
  void RemoveNode(const std::vector<api::ContainerImage>& images);
  // Brings the node counts up to date. Returns whether any changed.
  bool Refresh(std::vector<NodeImage>& on_node) const;

  // The id of an image by (normalised) name; false if no node has it now.
  bool Find(const std::string& name, ImageId& id) const;

 private:
  struct Image {
    int64_t size_bytes = 0;
    int32_t node_count = 0;
    bool counted = false;  // scratch: already seen on the node at hand
  };
  boost::unordered_flat_map<std::string, ImageId> ids_;
  std::vector<Image> images_;  // an id is never used again
};

}  // namespace ksched
