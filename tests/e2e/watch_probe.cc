// Follows a cluster as a scheduler would, without scheduling, and answers commands on standard input with a line of
// JSON each: for watching.py and the bench.
//
//   watch_probe [--record FILE] [flags of the connection]     follows the live cluster
//   watch_probe --replay FILE                                 takes a recording, and prints the digest of its end
//
// stats           counters of every kind, CPU seconds and memory
// check           lists the cluster afresh into a second state and says where the two differ
// digest          a hash of every object as the state has it
// stop
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "app/cli/connection.h"
#include "app/cli/flags.h"
#include "base/output_file.h"
#include "kube/event_recorder.h"
#include "kube/watched_cluster.h"
#include "manifest/events.h"
#include "state_text.h"

namespace ksched {
