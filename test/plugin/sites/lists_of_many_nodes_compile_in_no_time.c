// Each pointer variable is followed once, however many objects it points to one after the other: this took hours.
// RUN: timeout 20 %clang %gmp -O0 -c %s -o %t.o
#include "../Inputs/cuda.h"
#include <stdlib.h>

struct node {
  void *weights;
  struct node *input, *next;
};

#define NODE                                                                                                           \
  cur = malloc(sizeof *cur);                                                                                           \
  cudaMalloc(&cur->weights, n);                                                                                        \
  cur->input = tail;                                                                                                   \
  if (!head) head = cur;                                                                                               \
  else tail->next = cur;                                                                                               \
  tail = cur;
#define NODES4 NODE NODE NODE NODE
#define NODES16 NODES4 NODES4 NODES4 NODES4
#define NODES64 NODES16 NODES16 NODES16 NODES16

struct node *build(size_t n) {
  struct node *head = NULL, *tail = NULL, *cur;
  NODES64 NODES64 NODES64 NODES64
  return head;
}

// A pointer moves through what it points to.
void fill(char *p, size_t n) {
  cudaMalloc((void **)&p, n);
  for (size_t i = 0; i < n; i++) *p++ = 0;
}
