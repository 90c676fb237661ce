/* use.h - everything that the library can be asked of a capture, for tests that look at how it
 * fails: any answer is right, but each failure has its status and its sentence. */
#ifndef TEST_READER_USE_H
#define TEST_READER_USE_H

#include "gpumemprof/read.h"

/* Asks for all of it until something runs out of memory. Aborts where a failure has no sentence, or
 * a list is not what it says. */
void use_capture(struct gpumemprof_read *reader, uint32_t capture);
/* The status of the latest call, which failed; aborts where that cannot be. */
int use_failure(const struct gpumemprof_read *reader);

#endif
