/* objects.h - the loaded programs and libraries that addresses are in: see objects.c.
 */
#ifndef GPM_OBJECTS_H
#define GPM_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_object {
  uintptr_t begin, end, bias;
  uintptr_t unwind_table; /* its .eh_frame_hdr; 0: none, or not known */
  const char *path;       /* as long as it is loaded */
};

/* Whether the calls below take no lock of the loader. Once, by a thread that is not busy. */
bool gpm_objects_start(void);
/* False: no object has the address, and the object gets that one address and no path. */
bool gpm_object_at(uintptr_t address, struct gpm_object *object);
/* libcuda, libcudart and libcupti, of any version. */
bool gpm_object_is_cuda(const struct gpm_object *object);
/* Whether the path is that of libcudart, of any version. */
bool gpm_object_is_cudart(const char *path);
/* Its build-id as hexadecimal digits; "" if it has none. It is still loaded. */
enum { GPM_BUILD_ID_MAX = 2 * 32 + 1 };
void gpm_object_build_id(const struct gpm_object *object, char *text, size_t size);
/* Records the object, once. The second one is called under gpm_tree_lock, the first takes it. */
void gpm_object_record(const struct gpm_object *object);
void gpm_object_record_locked(const struct gpm_object *object);
void gpm_objects_forked(void);

#endif /* GPM_OBJECTS_H */
