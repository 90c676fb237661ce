/* heat_mpi.c - heat in a plate whose rows are divided among the ranks of an MPI job; the example of
 * docs/guide/mpi.md.
 *
 * Rows are handed out in tiles. What does not divide evenly goes to the last rank, which therefore
 * needs more memory than the others: what `gpumemprof merge --imbalance` is for. */
#include <cuda_runtime.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 10240, COLUMNS = 2048, TILE = 1024 };

static float *field(size_t rows) {
  float *p = NULL;
  if (cudaMalloc((void **)&p, rows * COLUMNS * sizeof *p) != cudaSuccess) {
    fprintf(stderr, "heat_mpi: out of GPU memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return p;
}

static size_t rows_of(int rank, int ranks) {
  size_t each = (size_t)(ROWS / ranks / TILE * TILE);
  return rank == ranks - 1 ? ROWS - each * (size_t)rank : each;
}

static void simulate(size_t rows, int steps) {
  float *old = field(rows), *new = field(rows);
  for (int step = 0; step < steps; step++) {
    float *halo = field(2); /* a row of each neighbour */
    MPI_Barrier(MPI_COMM_WORLD);
    cudaFree(halo);
  }
  cudaFree(old);
  cudaFree(new);
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  simulate(rows_of(rank, ranks), 3);
  MPI_Finalize();
  return 0;
}
