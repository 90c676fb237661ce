/* xray_noop.c - the do-nothing peer of XRay: patches every sled before main, with an empty handler.
 * Ends the program with status 3 where patching fails, so that nobody measures unpatched sleds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* From xray/xray_interface.h, which is C++ only. */
extern int __xray_set_handler(void (*entry)(int32_t function, int32_t kind));
extern int __xray_patch(void);

static __attribute__((xray_never_instrument)) void handler(int32_t function, int32_t kind) {
  (void)function;
  (void)kind;
}

__attribute__((constructor, xray_never_instrument)) static void patch(void) {
  if (__xray_set_handler(handler) == 1 && __xray_patch() == 1 /* SUCCESS */) return;
  fprintf(stderr, "xray_noop: XRay could not patch this program\n");
  exit(3);
}
