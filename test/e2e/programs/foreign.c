/* Frames of code that was not rebuilt: compiled without the plugin, by another compiler. */
#include <stdlib.h>
#include <ucontext.h>

void foreign_calls(void (*f)(void *), void *data);
void foreign_calls(void (*f)(void *), void *data) {
  char *volatile room = malloc(64);
  f(data);
  free(room); /* not a tail call */
}

int foreign_switch(ucontext_t *from, ucontext_t *to);
int foreign_switch(ucontext_t *from, ucontext_t *to) {
  return swapcontext(from, to);
}
