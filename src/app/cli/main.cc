// kubectl-ksched, also as the plugin `kubectl ksched`.
#include <cstdlib>
#include <iostream>

#include "app/cli/commands.h"
#include "base/terminal.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const char* no_colour = std::getenv("NO_COLOR");
  const bool colour = ksched::StdoutIsTerminal() && (no_colour == nullptr || *no_colour == '\0');
  ksched::cli::Streams streams{std::cout, std::cerr, colour};
  return ksched::cli::Run({argv + 1, argv + argc}, streams);
}
