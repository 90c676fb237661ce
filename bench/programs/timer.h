/* timer.h - what every timed benchmark program shares. timer.c is always compiled plain, so that no
 * tool under test instruments the measurement itself. */
#ifndef BENCH_TIMER_H
#define BENCH_TIMER_H

#include <stdint.h>

/* Pin to the processor named by BENCH_CPU and ask for SCHED_FIFO; both are best effort. */
void bench_pin(void);

/* Processor time of the calling thread. */
uint64_t bench_cpu_ns(void);

/* Print the one line the harness reads: nanoseconds, operations, and what was done with SCHED_FIFO.
 */
void bench_print(uint64_t ns, uint64_t operations);

/* A call that does nothing and that no compiler sees into. */
void bench_nothing(void);

/* A count from the command line; ends the program with status 2 on anything else. */
uint64_t bench_count(int argc, char **argv, int index, const char *what);

#endif /* BENCH_TIMER_H */
