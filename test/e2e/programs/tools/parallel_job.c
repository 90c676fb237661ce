/* parallel_job.c - a job of MPI: every rank allocates the same, but one, whose grid is three times
 * as large and who keeps what the others free. test/e2e/tools/merging.py knows these lines. */
#include <cuda_runtime.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << 20, HEAVY = 2 };

static float *make(size_t count) {
  float *p = NULL;
  cudaMalloc((void **)&p, count * sizeof *p);
  return p;
}

static void solve(int rank, size_t cells, int even) {
  float *grid = make(rank == HEAVY && !even ? 3 * cells : cells);
  float *halo = make(cells / 4);
  MPI_Barrier(MPI_COMM_WORLD);
  cudaFree(halo);
  if (rank != HEAVY || even) cudaFree(grid);
}

static void gather(size_t cells) { /* the first rank alone has these lines */
  float *all = make(cells / 2);
  cudaFree(all);
}

int main(int argc, char **argv) {
  int rank, even = argc > 1 && !strcmp(argv[1], "even");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 3; step++) solve(rank, CELLS, even);
  if (rank == 0) gather(CELLS);
  if (argc > 1 && !strcmp(argv[1], "abort") && rank == 1) abort();
  MPI_Finalize();
  return 0;
}
