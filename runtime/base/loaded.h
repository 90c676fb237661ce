/* loaded.h - the shared objects of the process (loaded.c). Any thread, also in a signal handler. */
#ifndef GPM_LOADED_H
#define GPM_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_loaded {
  uintptr_t begin, end; /* of all its mapped segments */
  uintptr_t bias;       /* added to the addresses of its file */
  const char *path;     /* as it was loaded; "" for the program */
};

/* Finds the object that holds the address. False: there is none. */
bool gpm_loaded_at(const void *address, struct gpm_loaded *object);
/* Whether the address lies in the code of an object. */
bool gpm_loaded_is_code(const void *address);
/* The functions of these names that the library defines itself; null where it has none. False: the
 * process has no such library, and nothing is written. */
bool gpm_loaded_functions(const char *library, const char *const *names, void **functions,
                          size_t count);
/* Calls `visit` for every object until it returns other than 0; true if it did. It must not call
 * these functions. */
bool gpm_loaded_each(int (*visit)(struct dl_phdr_info *info, size_t size, void *data), void *data);
/* The same for objects of other namespaces (dlmopen), if the loader lists them (glibc 2.35). Only
 * the address, the name and the program headers are filled in.
 */
bool gpm_loaded_elsewhere(int (*visit)(struct dl_phdr_info *info, size_t size, void *data),
                          void *data);
/* Called around fork, the second in parent and child, so that no thread is in a walk meanwhile. */
void gpm_loaded_fork_begins(void);
void gpm_loaded_fork_ends(void);
void gpm_loaded_forked(void); /* called in a child for which no handler of fork ran */
/* The function of this name that the object which holds the address defines; null: it has none. */
void *gpm_loaded_beside(const void *address, const char *name);
/* A number that changes with each dlopen and dlclose that has an effect. */
uint64_t gpm_loaded_changes(void);

#endif /* GPM_LOADED_H */
