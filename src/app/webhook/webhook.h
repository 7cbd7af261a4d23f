// The commands `webhook` and `webhook test`.
#pragma once

#include "app/cli/answer.h"
#include "app/cli/streams.h"
#include "app/webhook/options.h"

namespace ksched::webhook {

// Serves until it is told to stop. Returns the exit status.
int Webhook(const WebhookOptions& options, cli::Streams& streams);
// What would be answered if the manifests were created. Exit status 1: something would be refused.
int WebhookTest(const WebhookTestOptions& options, cli::Streams& streams);

}  // namespace ksched::webhook
