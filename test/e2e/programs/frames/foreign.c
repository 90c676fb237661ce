/* Frames of code that was not rebuilt: compiled without the plugin, by another compiler. */
#include <ucontext.h>

void foreign_calls(void (*f)(void *), void *data);
void foreign_calls(void (*f)(void *), void *data) {
  volatile char room[64];
  room[0] = 1;
  f(data);
  room[1] = room[0]; /* not a tail call */
}

int foreign_switch(ucontext_t *from, ucontext_t *to);
int foreign_switch(ucontext_t *from, ucontext_t *to) {
  return swapcontext(from, to);
}
