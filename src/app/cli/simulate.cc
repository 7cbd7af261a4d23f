#include <optional>
#include <utility>

#include "app/cli/answer.h"
#include "app/cli/commands.h"
#include "app/cli/connection.h"
#include "app/cli/live_cluster.h"
#include "app/cli/progress.h"
#include "app/cli/version.h"
#include "app/cli/watch.h"
#include "base/terminal.h"

namespace ksched::cli {
namespace {

void SayWhose(const SimulateOptions& options, Connection* connection, Streams& streams) {
  if (options.verbosity == 0) return;
  PrintVersion(streams.err);
  if (connection != nullptr) {
    const AssumedScheduler assumed{!options.config.empty(), options.feature_gates};
    DescribeSchedulers(*connection->client, assumed, streams.err, streams.err);
  }
}

int AnswerOnce(const SimulateOptions& options, const Setup& setup, InputOptions& input, Connection& connection,
               Streams& streams) {
  ProgressLine progress(streams.err, StderrIsTerminal());
  LiveCluster cluster(*connection.client, [&](const kube::ListProgress& now) { progress.Show(now); });
  input.cluster = &cluster;
  return Answer(
      options, setup, input, [&] { SayWhose(options, &connection, streams); }, streams);
}

}  // namespace

int Simulate(const SimulateOptions& options, Streams& streams) {
  const auto setup = MakeSetup(options);
  auto input = InputOf(options);
  if (!input || (!setup && options.live())) {
    if (!setup) PrintErrors({setup.error().message}, streams);
    if (!input) PrintErrors({input.error().message}, streams);
    return kExitUsage;
  }
  if (!setup) return AnswerWithoutSetup(setup.error(), *input, streams);
  for (const config::Profile& profile : setup->configuration.profiles) input->schedulers.insert(profile.scheduler_name);
  if (!options.live()) {
    return Answer(
        options, *setup, *input, [&] { SayWhose(options, nullptr, streams); }, streams);
  }
  auto connection = Connect(options.connection, options.reads_stdin());
  if (!connection) {
    PrintErrors({connection.error().message}, streams);
    return kExitCluster;
  }
  input->ns = connection->ns;
  if (options.watch) {
    return WatchAnswers(
        options, *setup, *input, *connection, [&] { SayWhose(options, &*connection, streams); }, streams);
  }
  return AnswerOnce(options, *setup, *input, *connection, streams);
}

}  // namespace ksched::cli
