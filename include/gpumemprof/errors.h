/* errors.h - the errors that calls of control.h return. control.h includes it. */
#ifndef GPUMEMPROF_ERRORS_H
#define GPUMEMPROF_ERRORS_H

/* The errors of calls that return an int; all values are below 0. Unless its comment says
 * otherwise, such a call did nothing. Only GPUMEMPROF_ERROR_SYSTEM sets errno. */
enum gpumemprof_error {
  GPUMEMPROF_ERROR_OFF = -1,      /* the runtime is absent, or records nothing */
  GPUMEMPROF_ERROR_ARGUMENT = -2, /* a sentence on standard error says which */
  GPUMEMPROF_ERROR_DEVICE = -3,   /* there is no such device: a sentence says which there are */
  GPUMEMPROF_ERROR_FULL = -4,     /* no room: a sentence says of what */
  GPUMEMPROF_ERROR_SYSTEM = -5    /* the system or a driver failed: errno says why */
};

#endif /* GPUMEMPROF_ERRORS_H */
