/* parameters.h - what one line of cuda_api.def expands to: a prototype's parameters, or their names
 * in a call. Each parameter is a pair (type, name); there are one to eight.
 */
#ifndef GPUMEMPROF_PARAMETERS_H
#define GPUMEMPROF_PARAMETERS_H

/* (void **, p), (size_t, n)   ->   void ** p, size_t n */
#define GPUMEMPROF_PARAMETERS(...) GPUMEMPROF_EACH_(GPUMEMPROF_DECLARE_, __VA_ARGS__)
/* (void **, p), (size_t, n)   ->   p, n */
#define GPUMEMPROF_ARGUMENTS(...) GPUMEMPROF_EACH_(GPUMEMPROF_NAME_, __VA_ARGS__)

#define GPUMEMPROF_DECLARE_(pair) GPUMEMPROF_DECLARE_PAIR_ pair
#define GPUMEMPROF_DECLARE_PAIR_(type, name) type name
#define GPUMEMPROF_NAME_(pair) GPUMEMPROF_NAME_PAIR_ pair
#define GPUMEMPROF_NAME_PAIR_(type, name) name

#define GPUMEMPROF_EACH_(f, ...)                                                                   \
  GPUMEMPROF_PICK_(__VA_ARGS__, GPUMEMPROF_8_, GPUMEMPROF_7_, GPUMEMPROF_6_, GPUMEMPROF_5_,        \
                   GPUMEMPROF_4_, GPUMEMPROF_3_, GPUMEMPROF_2_, GPUMEMPROF_1_, 0)                  \
  (f, __VA_ARGS__)
#define GPUMEMPROF_PICK_(a, b, c, d, e, g, h, i, chosen, ...) chosen
#define GPUMEMPROF_1_(f, a) f(a)
#define GPUMEMPROF_2_(f, a, ...) f(a), GPUMEMPROF_1_(f, __VA_ARGS__)
#define GPUMEMPROF_3_(f, a, ...) f(a), GPUMEMPROF_2_(f, __VA_ARGS__)
#define GPUMEMPROF_4_(f, a, ...) f(a), GPUMEMPROF_3_(f, __VA_ARGS__)
#define GPUMEMPROF_5_(f, a, ...) f(a), GPUMEMPROF_4_(f, __VA_ARGS__)
#define GPUMEMPROF_6_(f, a, ...) f(a), GPUMEMPROF_5_(f, __VA_ARGS__)
#define GPUMEMPROF_7_(f, a, ...) f(a), GPUMEMPROF_6_(f, __VA_ARGS__)
#define GPUMEMPROF_8_(f, a, ...) f(a), GPUMEMPROF_7_(f, __VA_ARGS__)

#endif /* GPUMEMPROF_PARAMETERS_H */
