// The number of threads is the process's: oneDNN asks OpenMP for it, too.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/parallel.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace opledger {

#if defined(_OPENMP)
void SetThreads(int threads) { omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs()); }

std::size_t Threads() { return static_cast<std::size_t>(std::max(1, omp_get_max_threads())); }
#else
void SetThreads(int) {}

std::size_t Threads() { return 1; }
#endif

}  // namespace opledger
