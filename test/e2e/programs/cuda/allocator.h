/* Declared for both files: the calls in one and the functions in the other are hooked. */
#include <gpumemprof/gpumemprof.h>
#include <stddef.h>
void *stack_take(size_t count, size_t size) GPUMEMPROF_ALLOCATES(1, 2);
void stack_give(void *p) GPUMEMPROF_FREES(1);
