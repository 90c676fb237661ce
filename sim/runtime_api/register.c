/* register.c - the fat binaries, kernels and variables that compiled programs register before main.
 * The device code is not read: a kernel is a name, a variable a size.
 */
#include "base/errors.h"
#include "base/lock.h"
#include "base/object.h"
#include "base/tree.h"
#include "runtime_api/cudart.h"

#include <stdlib.h>

struct entry { /* a kernel, by the address of its host stub */
  struct gpm_sim_range range;
  struct gpm_sim_function *function;
  struct entry *next;
};

struct symbol { /* a variable, by the address of its host shadow */
  struct gpm_sim_range range;
  uint64_t size;
  uint64_t managed;                      /* its memory; 0: not managed */
  uint64_t address[GPM_SIM_MAX_DEVICES]; /* its memory on each device; 0: not yet */
  struct symbol *next;
};

struct binary {
  void *image; /* must be the first field: programs have a pointer to it */
  struct entry *entries;
  struct symbol *symbols;
  struct binary *next;
};

static struct binary *binaries;
static struct gpm_sim_tree entries, symbols;
static unsigned registrations; /* of variables */

void **__cudaRegisterFatBinary(void *fatCubin);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun,
                            const char *deviceName, int thread_limit, uint3 *tid, uint3 *bid,
                            dim3 *bDim, dim3 *gDim, int *wSize);
void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName,
                       int ext, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global);
void __cudaRegisterHostVar(void **handle, const char *deviceName, char *hostVar, size_t size);
void __cudaRegisterUnifiedTable(void *code, void *data);
char __cudaInitModule(void **handle);

void **__cudaRegisterFatBinary(void *fatCubin) {
  struct binary *binary = calloc(1, sizeof *binary);
  if (!binary) abort();
  binary->image = fatCubin;
  GPM_SIM_LOCKED;
  binary->next = binaries;
  binaries = binary;
  return &binary->image;
}

void __cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle;
}

static void release_block(uint64_t address) {
  struct gpm_sim_block *block = address ? gpm_sim_block_find(address) : NULL;
  if (block && block->range.start == address) gpm_sim_block_release(block);
}

void __cudaUnregisterFatBinary(void **handle) {
  if (!handle) return;
  GPM_SIM_LOCKED;
  struct binary *binary = (struct binary *)(void *)handle;
  struct binary **at = &binaries;
  while (*at && *at != binary) at = &(*at)->next;
  if (!*at) return;
  *at = binary->next;
  while (binary->entries) {
    struct entry *entry = binary->entries;
    binary->entries = entry->next;
    gpm_sim_tree_remove(&entries, &entry->range);
    gpm_sim_object_destroy(entry->function);
    free(entry);
  }
  while (binary->symbols) {
    struct symbol *symbol = binary->symbols;
    binary->symbols = symbol->next;
    gpm_sim_tree_remove(&symbols, &symbol->range);
    release_block(symbol->managed);
    for (int i = 0; i < GPM_SIM_MAX_DEVICES; i++) release_block(symbol->address[i]);
    free(symbol);
  }
  free(binary);
}

void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun,
                            const char *deviceName, int thread_limit, uint3 *tid, uint3 *bid,
                            dim3 *bDim, dim3 *gDim, int *wSize) {
  (void)deviceFun, (void)thread_limit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
  GPM_SIM_LOCKED;
  struct binary *binary = (struct binary *)(void *)handle;
  /* Two object files may register one template's kernel. */
  if (gpm_sim_tree_find(&entries, (uintptr_t)hostFun)) return;
  struct entry *entry = calloc(1, sizeof *entry);
  if (!entry) abort();
  entry->function = gpm_sim_function_create(deviceName, NULL);
  if (!entry->function) abort();
  entry->range.start = (uintptr_t)hostFun;
  entry->range.size = 1;
  entry->next = binary->entries;
  binary->entries = entry;
  gpm_sim_tree_insert(&entries, &entry->range);
}

static struct symbol *add_symbol(void **handle, const void *host, size_t size) {
  struct binary *binary = (struct binary *)(void *)handle;
  if (gpm_sim_tree_find(&symbols, (uintptr_t)host)) return NULL;
  struct symbol *symbol = calloc(1, sizeof *symbol);
  if (!symbol) abort();
  symbol->range.start = (uintptr_t)host;
  symbol->range.size = 1;
  symbol->size = size;
  registrations++;
  symbol->next = binary->symbols;
  binary->symbols = symbol;
  gpm_sim_tree_insert(&symbols, &symbol->range);
  return symbol;
}

void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName,
                       int ext, size_t size, int constant, int global) {
  (void)deviceAddress, (void)deviceName, (void)ext, (void)constant, (void)global;
  GPM_SIM_LOCKED;
  add_symbol(handle, hostVar, size);
}

/* Host code reads managed variables through the pointer set here, from the first line of main. */
void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global) {
  (void)deviceAddress, (void)deviceName, (void)ext, (void)constant, (void)global;
  GPM_SIM_LOCKED;
  struct symbol *symbol = add_symbol(handle, hostVarPtrAddress, size);
  if (!symbol || !size) return;
  symbol->managed = gpm_sim_space_allocate(gpm_sim_managed_space(), size, GPM_SIM_LINEAR);
  if (!symbol->managed) return;
  struct gpm_sim_block *block = gpm_sim_block_add(symbol->managed, size, GPM_SIM_MANAGED_MEMORY);
  if (!block) abort();
  block->context = NULL; /* cudaDeviceReset does not end it */
  block->device = 0;
  *hostVarPtrAddress = (void *)(uintptr_t)symbol->managed;
}

void __cudaRegisterHostVar(void **handle, const char *deviceName, char *hostVar, size_t size) {
  (void)handle, (void)deviceName, (void)hostVar, (void)size;
}

void __cudaRegisterUnifiedTable(void *code, void *data) {
  (void)code, (void)data;
}

char __cudaInitModule(void **handle) {
  (void)handle;
  return 1;
}

struct gpm_sim_function *gpm_cudart_function(const void *entry) {
  GPM_SIM_LOCKED;
  struct entry *found = (struct entry *)gpm_sim_tree_find(&entries, (uintptr_t)entry);
  if (found) return found->function;
  /* A kernel handle is accepted where an entry is. */
  return gpm_sim_object_get(entry, GPM_SIM_FUNCTION);
}

/* Whether the variable has its memory on the current device; a reset takes it. */
static bool is_loaded(const struct symbol *symbol) {
  uint64_t here = symbol->address[gpm_sim_current_device()];
  const struct gpm_sim_block *block = here ? gpm_sim_block_find(here) : NULL;
  return block && block->kind == GPM_SIM_STATIC_MEMORY && block->range.start == here;
}

static int load_symbol(struct symbol *symbol) {
  uint64_t *here = &symbol->address[gpm_sim_current_device()];
  return is_loaded(symbol) || !symbol->size
             ? GPM_SIM_OK
             : gpm_sim_block_allocate(GPM_SIM_STATIC_MEMORY, symbol->size, 0, here);
}

int gpm_cudart_symbol(const void *host, uint64_t *address, uint64_t *size) {
  GPM_SIM_LOCKED;
  struct symbol *symbol = (struct symbol *)gpm_sim_tree_find(&symbols, (uintptr_t)host);
  /* A program may give the address of a managed variable's pointer or the pointer itself. */
  if (!symbol) {
    struct gpm_sim_range *r = gpm_sim_tree_next(&symbols, 0);
    for (; r; r = gpm_sim_tree_next(&symbols, r->start + 1))
      if (((struct symbol *)r)->managed == (uintptr_t)host) symbol = (struct symbol *)r;
  }
  if (!symbol || !host) return GPM_SIM_INVALID_SYMBOL;
  *size = symbol->size;
  if (symbol->managed) {
    *address = symbol->managed;
    return GPM_SIM_OK;
  }
  int error = load_symbol(symbol);
  *address = symbol->address[gpm_sim_current_device()];
  return error;
}

/* A launch needs the variables of its module, which is not known here: those of all are loaded. */
int gpm_cudart_load_symbols(void) {
  static unsigned loaded[GPM_SIM_MAX_DEVICES]; /* the number of registrations then */
  GPM_SIM_LOCKED;
  unsigned *here = &loaded[gpm_sim_current_device()];
  const struct symbol *first = (struct symbol *)gpm_sim_tree_next(&symbols, 0);
  if (!first || (*here == registrations && (first->managed || is_loaded(first)))) return GPM_SIM_OK;
  int error = GPM_SIM_OK;
  struct gpm_sim_range *r = gpm_sim_tree_next(&symbols, 0);
  for (; r && !error; r = gpm_sim_tree_next(&symbols, r->start + 1))
    if (!((struct symbol *)r)->managed) error = load_symbol((struct symbol *)r);
  if (!error) *here = registrations;
  return error;
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol) {
  GPM_CUDART_REQUIRE(devPtr);
  GPM_CUDART_BEGIN;
  uint64_t address = 0, size = 0;
  int error = gpm_cudart_symbol(symbol, &address, &size);
  if (!error) *devPtr = (void *)(uintptr_t)address;
  return gpm_cudart_end(error);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  GPM_CUDART_REQUIRE(size);
  GPM_CUDART_BEGIN;
  uint64_t address = 0, bytes = 0;
  int error = gpm_cudart_symbol(symbol, &address, &bytes);
  if (!error) *size = bytes;
  return gpm_cudart_end(error);
}
