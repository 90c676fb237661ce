/* parameters.h - what one line of cuda_api.def or runtime/foreign/cupti_calls.def expands to: a
 * prototype's parameters, their names in a call, their number, or a structure's fields. Each
 * parameter is a pair (type, name); there are one to sixteen.
 */
#ifndef GPUMEMPROF_PARAMETERS_H
#define GPUMEMPROF_PARAMETERS_H

/* (void **, p), (size_t, n)   ->   void ** p, size_t n */
#define GPUMEMPROF_PARAMETERS(...)                                                                 \
  GPUMEMPROF_EACH_(GPUMEMPROF_DECLARE_, GPUMEMPROF_COMMA_, __VA_ARGS__)
/* (void **, p), (size_t, n)   ->   p, n */
#define GPUMEMPROF_ARGUMENTS(...) GPUMEMPROF_EACH_(GPUMEMPROF_NAME_, GPUMEMPROF_COMMA_, __VA_ARGS__)
/* (void **, p), (size_t, n)   ->   1 + 1 */
#define GPUMEMPROF_COUNT(...) (GPUMEMPROF_EACH_(GPUMEMPROF_ONE_, GPUMEMPROF_PLUS_, __VA_ARGS__))
/* (void **, p), (size_t, n)   ->   void ** p; size_t n */
#define GPUMEMPROF_FIELDS(...)                                                                     \
  GPUMEMPROF_EACH_(GPUMEMPROF_DECLARE_, GPUMEMPROF_SEMICOLON_, __VA_ARGS__)
/* (void **, p), (size_t, n)   ->   a->p, a->n, of the structure that those fields make */
#define GPUMEMPROF_FIELDS_OF_A(...)                                                                \
  GPUMEMPROF_EACH_(GPUMEMPROF_OF_A_, GPUMEMPROF_COMMA_, __VA_ARGS__)

#define GPUMEMPROF_COMMA_() ,
#define GPUMEMPROF_SEMICOLON_() ;
#define GPUMEMPROF_PLUS_() +
#define GPUMEMPROF_ONE_(pair) 1
#define GPUMEMPROF_DECLARE_(pair) GPUMEMPROF_DECLARE_PAIR_ pair
#define GPUMEMPROF_DECLARE_PAIR_(type, name) type name
#define GPUMEMPROF_NAME_(pair) GPUMEMPROF_NAME_PAIR_ pair
#define GPUMEMPROF_NAME_PAIR_(type, name) name
#define GPUMEMPROF_OF_A_(pair) GPUMEMPROF_OF_A_PAIR_ pair
#define GPUMEMPROF_OF_A_PAIR_(type, name) a->name

#define GPUMEMPROF_EACH_(f, between, ...)                                                          \
  GPUMEMPROF_PICK_(__VA_ARGS__, GPUMEMPROF_16_, GPUMEMPROF_15_, GPUMEMPROF_14_, GPUMEMPROF_13_,    \
                   GPUMEMPROF_12_, GPUMEMPROF_11_, GPUMEMPROF_10_, GPUMEMPROF_9_, GPUMEMPROF_8_,   \
                   GPUMEMPROF_7_, GPUMEMPROF_6_, GPUMEMPROF_5_, GPUMEMPROF_4_, GPUMEMPROF_3_,      \
                   GPUMEMPROF_2_, GPUMEMPROF_1_, 0)                                                \
  (f, between, __VA_ARGS__)
#define GPUMEMPROF_PICK_(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, chosen, ...) chosen
#define GPUMEMPROF_1_(f, s, a) f(a)
#define GPUMEMPROF_2_(f, s, a, ...) f(a) s() GPUMEMPROF_1_(f, s, __VA_ARGS__)
#define GPUMEMPROF_3_(f, s, a, ...) f(a) s() GPUMEMPROF_2_(f, s, __VA_ARGS__)
#define GPUMEMPROF_4_(f, s, a, ...) f(a) s() GPUMEMPROF_3_(f, s, __VA_ARGS__)
#define GPUMEMPROF_5_(f, s, a, ...) f(a) s() GPUMEMPROF_4_(f, s, __VA_ARGS__)
#define GPUMEMPROF_6_(f, s, a, ...) f(a) s() GPUMEMPROF_5_(f, s, __VA_ARGS__)
#define GPUMEMPROF_7_(f, s, a, ...) f(a) s() GPUMEMPROF_6_(f, s, __VA_ARGS__)
#define GPUMEMPROF_8_(f, s, a, ...) f(a) s() GPUMEMPROF_7_(f, s, __VA_ARGS__)
#define GPUMEMPROF_9_(f, s, a, ...) f(a) s() GPUMEMPROF_8_(f, s, __VA_ARGS__)
#define GPUMEMPROF_10_(f, s, a, ...) f(a) s() GPUMEMPROF_9_(f, s, __VA_ARGS__)
#define GPUMEMPROF_11_(f, s, a, ...) f(a) s() GPUMEMPROF_10_(f, s, __VA_ARGS__)
#define GPUMEMPROF_12_(f, s, a, ...) f(a) s() GPUMEMPROF_11_(f, s, __VA_ARGS__)
#define GPUMEMPROF_13_(f, s, a, ...) f(a) s() GPUMEMPROF_12_(f, s, __VA_ARGS__)
#define GPUMEMPROF_14_(f, s, a, ...) f(a) s() GPUMEMPROF_13_(f, s, __VA_ARGS__)
#define GPUMEMPROF_15_(f, s, a, ...) f(a) s() GPUMEMPROF_14_(f, s, __VA_ARGS__)
#define GPUMEMPROF_16_(f, s, a, ...) f(a) s() GPUMEMPROF_15_(f, s, __VA_ARGS__)

#endif /* GPUMEMPROF_PARAMETERS_H */
