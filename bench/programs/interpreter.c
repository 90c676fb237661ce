/* interpreter.c - a small bytecode interpreter: many calls, most of them through pointers, much
 * malloc and realloc, and nothing to allocate on a GPU. What the plugin adds to it should be
 * nothing.
 *
 *   interpreter COUNT        rounds of the program below
 *
 * A stack machine with numbers, interned strings, closures with captured cells, and functions of
 * the host. Every instruction is a call through a table of handlers, every host function one
 * through a pointer that was stored at run time. All is in this file and only main is visible. */
#define _GNU_SOURCE
#define BENCH_ONE_UNIT /* a call of another file would be one to the unknown */
#include "timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vm;
struct value;
typedef void operation(struct vm *vm, int operand);
typedef struct value host_function(struct vm *vm, struct value argument);

struct string {
  struct string *next; /* in its bucket */
  uint32_t hash;
  char text[];
};
struct cell {
  double number;
  unsigned users;
};
struct closure {
  int function;
  unsigned users;
  struct cell *captured;
};
enum kind { NUMBER, STRING, CLOSURE, HOST };
struct value {
  enum kind kind;
  union {
    double number;
    const struct string *string;
    struct closure *closure;
    host_function *host;
  };
};
struct instruction {
  short operation, operand;
};
struct activation {
  const struct instruction *next;
  struct closure *closure; /* null: none */
  size_t base;
};
struct vm {
  struct value *stack;
  size_t top, room;
  struct activation *calls;
  size_t depth, call_room;
  struct string **buckets;
  uint32_t bucket_count, string_count;
  struct value globals[8];
  uint64_t executed;
};

static void *grown(void *old, size_t bytes) {
  void *p = realloc(old, bytes);
  if (!p) {
    fprintf(stderr, "interpreter: out of memory\n");
    exit(2);
  }
  return p;
}

/* ---- values ---- */
static struct value number(double n) {
  return (struct value){.kind = NUMBER, .number = n};
}

static void release(struct value v) {
  if (v.kind != CLOSURE || --v.closure->users) return;
  if (v.closure->captured && !--v.closure->captured->users) free(v.closure->captured);
  free(v.closure);
}

static struct value shared(struct value v) {
  if (v.kind == CLOSURE) v.closure->users++;
  return v;
}

static void push(struct vm *vm, struct value v) {
  if (vm->top == vm->room)
    vm->stack = grown(vm->stack, (vm->room = vm->room ? vm->room * 2 : 16) * sizeof *vm->stack);
  vm->stack[vm->top++] = v;
}

static struct value pop(struct vm *vm) {
  return vm->stack[--vm->top];
}

/* ---- strings: one of each text ---- */
static uint32_t hash_of(const char *text) {
  uint32_t h = 2166136261u;
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
  return h;
}

static void rehash(struct vm *vm) {
  uint32_t count = vm->bucket_count ? vm->bucket_count * 2 : 8;
  struct string **buckets = calloc(count, sizeof *buckets);
  if (!buckets) exit(2);
  for (uint32_t i = 0; i < vm->bucket_count; i++)
    for (struct string *s = vm->buckets[i], *next; s; s = next) {
      next = s->next;
      s->next = buckets[s->hash & (count - 1)];
      buckets[s->hash & (count - 1)] = s;
    }
  free(vm->buckets);
  vm->buckets = buckets;
  vm->bucket_count = count;
}

static struct value interned(struct vm *vm, const char *text) {
  if (vm->string_count >= vm->bucket_count) rehash(vm);
  uint32_t hash = hash_of(text);
  struct string **bucket = &vm->buckets[hash & (vm->bucket_count - 1)];
  struct string *s = *bucket;
  while (s && (s->hash != hash || strcmp(s->text, text))) s = s->next;
  if (!s) {
    s = grown(NULL, sizeof *s + strlen(text) + 1);
    s->hash = hash;
    strcpy(s->text, text);
    s->next = *bucket;
    *bucket = s;
    vm->string_count++;
  }
  return (struct value){.kind = STRING, .string = s};
}

static struct value host_name(struct vm *vm, struct value v) { /* "k" and a number */
  char text[32];
  snprintf(text, sizeof text, "k%d", (int)v.number % 257);
  return interned(vm, text);
}

static struct value host_length(struct vm *vm, struct value v) {
  (void)vm;
  return number(v.kind == STRING ? (double)strlen(v.string->text) : 0);
}

/* ---- instructions ---- */
static void call(struct vm *vm, int function, struct closure *closure);

static void do_number(struct vm *vm, int n) {
  push(vm, number(n));
}
static void do_local(struct vm *vm, int i) {
  push(vm, shared(vm->stack[vm->calls[vm->depth - 1].base + (size_t)i]));
}
static void do_set_local(struct vm *vm, int i) {
  struct value *at = &vm->stack[vm->calls[vm->depth - 1].base + (size_t)i];
  release(*at);
  *at = pop(vm);
}
static void do_global(struct vm *vm, int i) {
  push(vm, shared(vm->globals[i]));
}
static void do_captured(struct vm *vm, int step) { /* adds to the captured number and gives it */
  struct cell *cell = vm->calls[vm->depth - 1].closure->captured;
  cell->number += step;
  push(vm, number(cell->number));
}
static void do_close(struct vm *vm, int function) { /* captures the number on top */
  struct closure *c = grown(NULL, sizeof *c);
  struct cell *cell = grown(NULL, sizeof *cell);
  *cell = (struct cell){pop(vm).number, 1};
  *c = (struct closure){function, 1, cell};
  push(vm, (struct value){.kind = CLOSURE, .closure = c});
}
static void do_add(struct vm *vm, int sign) {
  double right = pop(vm).number, left = pop(vm).number;
  push(vm, number(left + sign * right));
}
static void do_less(struct vm *vm, int unused) {
  (void)unused;
  double right = pop(vm).number, left = pop(vm).number;
  push(vm, number(left < right));
}
static void do_jump(struct vm *vm, int distance) {
  vm->calls[vm->depth - 1].next += distance;
}
static void do_jump_unless(struct vm *vm, int distance) {
  if (pop(vm).number == 0) do_jump(vm, distance);
}
static void do_call(struct vm *vm, int unused) { /* one argument on top, the callee below it */
  (void)unused;
  struct value *callee = &vm->stack[vm->top - 2];
  if (callee->kind == HOST) {
    struct value argument = pop(vm);
    struct value result = pop(vm).host(vm, argument);
    release(argument);
    push(vm, result);
  } else call(vm, callee->closure->function, callee->closure);
}
static void do_return(struct vm *vm, int unused) {
  (void)unused;
  struct value result = pop(vm);
  size_t base = vm->calls[--vm->depth].base;
  while (vm->top > base) release(pop(vm));
  release(pop(vm)); /* the callee */
  push(vm, result);
}
static void do_drop(struct vm *vm, int unused) {
  (void)unused;
  release(pop(vm));
}

enum { N, LOCAL, SET, GLOBAL, CAPTURED, CLOSE, ADD, LESS, JUMP, UNLESS, CALL, RETURN, DROP };
static operation *const operations[] = {
    do_number, do_local, do_set_local,   do_global, do_captured, do_close, do_add,
    do_less,   do_jump,  do_jump_unless, do_call,   do_return,   do_drop};

/* fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2) */
static const struct instruction fib[] = {
    {LOCAL, 0},  {N, 2},     {LESS, 0}, {UNLESS, 2}, {LOCAL, 0}, {RETURN, 0},
    {GLOBAL, 0}, {LOCAL, 0}, {N, 1},    {ADD, -1},   {CALL, 0},  {GLOBAL, 0},
    {LOCAL, 0},  {N, 2},     {ADD, -1}, {CALL, 0},   {ADD, 1},   {RETURN, 0}};
static const struct instruction count[] = {{CAPTURED, 1}, {RETURN, 0}};
/* run(n): fib(9); c = counter from 0; for n, c(0) < 40: length(name(n)) */
static const struct instruction run[] = {
    {GLOBAL, 0}, {N, 9},      {CALL, 0}, {DROP, 0},  {N, 0},       {CLOSE, 1},  {LOCAL, 1},
    {N, 0},      {CALL, 0},   {N, 40},   {LESS, 0},  {UNLESS, 11}, {GLOBAL, 2}, {GLOBAL, 1},
    {LOCAL, 0},  {CALL, 0},   {CALL, 0}, {DROP, 0},  {LOCAL, 0},   {N, 7},      {ADD, 1},
    {SET, 0},    {JUMP, -17}, {N, 0},    {RETURN, 0}};
static const struct instruction *const functions[] = {fib, count, run};

static void call(struct vm *vm, int function, struct closure *closure) {
  if (vm->depth == vm->call_room)
    vm->calls = grown(vm->calls,
                      (vm->call_room = vm->call_room ? vm->call_room * 2 : 4) * sizeof *vm->calls);
  vm->calls[vm->depth++] = (struct activation){functions[function], closure, vm->top - 1};
}

static void execute(struct vm *vm) {
  while (vm->depth) {
    const struct instruction *i = vm->calls[vm->depth - 1].next++;
    vm->executed++;
    operations[i->operation](vm, i->operand);
  }
}

int main(int argc, char **argv) {
  uint64_t rounds = bench_count(argc, argv, 1, "rounds");
  struct vm vm = {0};
  struct closure callee[] = {{0, 1, NULL}, {2, 1, NULL}};
  vm.globals[0] = (struct value){.kind = CLOSURE, .closure = &callee[0]};
  vm.globals[1] = (struct value){.kind = HOST, .host = host_name};
  vm.globals[2] = (struct value){.kind = HOST, .host = host_length};
  bench_pin();
  uint64_t start = bench_cpu_ns();
  for (uint64_t i = 0; i < rounds; i++) {
    callee[1].users = 2;
    push(&vm, (struct value){.kind = CLOSURE, .closure = &callee[1]});
    push(&vm, number((double)i));
    call(&vm, 2, &callee[1]);
    execute(&vm);
    release(pop(&vm));
  }
  bench_print(bench_cpu_ns() - start, vm.executed);
  return vm.string_count > 257;
}
