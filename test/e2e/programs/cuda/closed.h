/* closed.h - what libclosed.so offers, and keeps to itself how (closed.c). */
#ifndef CLOSED_H
#define CLOSED_H

#include <stddef.h>

struct closed;
struct closed *closed_create(size_t n);
void closed_grow(struct closed *c, size_t n);
int closed_destroy(struct closed *c);
void *closed_give(size_t n);
int closed_take(void *p);
void closed_in_thread(size_t n);
void closed_context(size_t n);
void closed_call(void (*function)(void));

#endif
