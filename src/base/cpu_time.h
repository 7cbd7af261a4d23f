// CPU time used by this process, all threads.
#pragma once

namespace ksched {

double CpuSeconds();

}  // namespace ksched
