/* gpumemprof_host_kernels.h - what a library of GPUMEMPROF_SIM_OPTIONS=kernels=FILE defines:
 * kernels that were compiled for the host, which the simulated device then runs at each launch, one
 * thread after the other. A variable of device code is the library's variable of that name.
 */
#ifndef GPUMEMPROF_HOST_KERNELS_H
#define GPUMEMPROF_HOST_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Runs a kernel, by its name in device code; arguments: the addresses of its parameters. Returns 0
 * if the library does not have it. */
int gpumemprof_sim_kernel(const char *name, void **arguments, const unsigned grid[3],
                          const unsigned block[3]);

#ifdef __cplusplus
}
#endif

#endif /* GPUMEMPROF_HOST_KERNELS_H */
