/* A library that nothing is recorded of. What it calls at the end comes after every destructor. */
#include <stddef.h>

void (*call_at_the_very_end)(void);

int __cxa_atexit(void (*function)(void *), void *argument, void *object); /* the C++ ABI's */

static void end(void *unused) {
  (void)unused;
  if (call_at_the_very_end) call_at_the_very_end();
}

/* Of no object, and before the C library asks for the dynamic loader's turn, which comes first. */
__attribute__((constructor)) static void begin(void) {
  __cxa_atexit(end, NULL, NULL);
}
