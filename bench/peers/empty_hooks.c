/* empty_hooks.c - the do-nothing peer of -finstrument-functions: hooks in a translation unit of
 * their own, linked statically. The least that any profiler built on that flag can cost. */

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller) {
  (void)function;
  (void)caller;
}

void __cyg_profile_func_exit(void *function, void *caller) {
  (void)function;
  (void)caller;
}
