/* Not rebuilt. */
#include <stddef.h>
static char memory[64];
void *elsewhere(size_t bytes) { return memory + bytes % 64; }
void elsewhere_free(void *p) { (void)p; }
