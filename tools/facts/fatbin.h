/* fatbin.h - the device code in a program: the PTX texts of its fatbins, and the kernels of which
 * it has machine code.
 *
 *   .nv_fatbin       a container for each file that was compiled, one behind the other
 *   __nv_relfatbin   the same of code that nvlink joins (-rdc)
 *
 *   container: 0xBA55ED50, version, bytes of this head, bytes of all entries
 *   entry:     kind (1 PTX, 2 machine code), architecture, bytes, how they are compressed, the
 * bytes
 *
 * facts.c calls it. Nothing in such a file is trusted. */
#ifndef GPM_TOOLS_FATBIN_H
#define GPM_TOOLS_FATBIN_H

#include "symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpm_fatbin_kind {
  GPM_FATBIN_PTX = 1,
  GPM_FATBIN_MACHINE_CODE = 2,
};

struct gpm_fatbin_code {
  enum gpm_fatbin_kind kind;
  uint32_t arch;     /* 80: compute_80; of machine code: that of the PTX that it was made from */
  bool relocatable;  /* nvlink joins it with other such code */
  const char *bytes; /* a zero byte follows them; valid during the call */
  size_t size;
};

/* What could not be read. */
struct gpm_fatbin_unread {
  uint32_t damaged;    /* containers and entries that are not what they say */
  uint32_t compressed; /* entries that are compressed in a way that this build does not read */
};

typedef void gpm_fatbin_visitor(const struct gpm_fatbin_code *code, void *data);

/* Calls `visit` for each entry of each container, relocatable ones first. */
void gpm_fatbin_visit(const struct gpm_elf *elf, gpm_fatbin_visitor *visit, void *data,
                      struct gpm_fatbin_unread *unread);
/* Does the same for the bytes of one section. */
void gpm_fatbin_visit_section(const unsigned char *section, uint64_t size, bool relocatable,
                              gpm_fatbin_visitor *visit, void *data,
                              struct gpm_fatbin_unread *unread);

/* A hash of the sections, as captures have it (GPUMEMPROF_USE_DEVICE_CODE); 0: there is none. */
uint64_t gpm_fatbin_hash(const struct gpm_elf *elf);

/* Calls `visit` with the name of each kernel of which machine code (an ELF file in memory) has
 * instructions. False: it is none. */
typedef void gpm_fatbin_kernel_visitor(const char *symbol, void *data);
bool gpm_fatbin_kernels(const char *bytes, size_t size, gpm_fatbin_kernel_visitor *visit,
                        void *data);

#endif
