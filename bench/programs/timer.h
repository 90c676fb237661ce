/* timer.h - what every timed benchmark program shares. timer.c is always compiled plain, so that no
 * tool under test instruments the measurement itself. */
#ifndef BENCH_TIMER_H
#define BENCH_TIMER_H

#include <stdint.h>

/* BENCH_ONE_UNIT: timer.c is part of the program, so that no call leaves the file. */
#ifdef BENCH_ONE_UNIT
#define BENCH_API static __attribute__((unused))
#else
#define BENCH_API
#endif

/* Pin to the processor named by BENCH_CPU and ask for SCHED_FIFO; both are best effort. */
BENCH_API void bench_pin(void);
/* The same for the nth thread of several: a processor of its own while there are enough. */
BENCH_API void bench_pin_nth(unsigned n);

/* Processor time of the calling thread. */
BENCH_API uint64_t bench_cpu_ns(void);

/* Print the one line the harness reads: nanoseconds, operations, and whether SCHED_FIFO was
 * granted.
 */
BENCH_API void bench_print(uint64_t ns, uint64_t operations);

/* The same for one of several figures of a program: "bench NAME ns operations fifo". */
BENCH_API void bench_print_as(const char *name, uint64_t ns, uint64_t operations);

/* A call that does nothing and that no compiler sees into. */
BENCH_API void bench_nothing(void);

/* A count from the command line; ends the program with status 2 on anything else. */
BENCH_API uint64_t bench_count(int argc, char **argv, int index, const char *what);

#ifdef BENCH_ONE_UNIT
#include "timer.c"
#endif

#endif /* BENCH_TIMER_H */
