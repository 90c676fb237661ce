/* places.h - what is known of an address in code that was not rebuilt: see places.c.
 */
#ifndef GPM_PLACES_H
#define GPM_PLACES_H

#include "foreign/unwind_rules.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gpumemprof_site;

enum gpm_place_kind {
  GPM_PLACE_OUTSIDE, /* of every object: code that was made at run time, or is unloaded */
  GPM_PLACE_RUNTIME, /* this object, linked with libgpumemprof.a, so also the program's */
  GPM_PLACE_CUDA,    /* CUDA's other libraries and libgpumemprof.so */
  GPM_PLACE_CUDART,  /* CUDA's runtime API, where it is a library of its own */
  GPM_PLACE_START,   /* what calls `main` and the first function of a thread */
  GPM_PLACE_CODE
};

/* An address to which a call returns. Never changes and is never freed. */
struct gpm_place {
  uintptr_t address; /* the return address */
  enum gpm_place_kind kind;
  struct gpm_unwind_rule rule;
  uintptr_t object;                            /* where its object begins; 0: outside */
  uintptr_t object_end;                        /* and ends */
  uint32_t path, build;                        /* of the object: strings of the capture */
  _Atomic uint8_t rebuilt;                     /* rebuilt_code.c; 0: not asked for yet */
  _Atomic uint64_t loaded;                     /* when it was last checked: gpm_loaded_changes */
  const struct gpumemprof_site *_Atomic scope; /* the function; null: not asked for yet */
  const struct gpumemprof_site *_Atomic call;  /* the call in it */
};

/* The place of a return address. loaded: the present number of gpm_loaded_changes. Null: there is
 * no memory. The caller holds no lock. */
struct gpm_place *gpm_place_at(uintptr_t return_address, uint64_t loaded);
/* Gives it its sites. The caller holds no lock. */
void gpm_place_name(struct gpm_place *place);
void gpm_places_forked(void);

#endif /* GPM_PLACES_H */
