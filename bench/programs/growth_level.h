/* growth_level.h - one level of growth.c's call paths: LEVEL calls BELOW on one of ten lines, which
 * the lowest digit of the path chooses. Not guarded: it is included for each level. */
static __attribute__((noinline)) void *LEVEL(unsigned path) {
  void *p;
  switch (path % 10) {
  case 0:
    p = BELOW(path / 10);
    break;
  case 1:
    p = BELOW(path / 10);
    break;
  case 2:
    p = BELOW(path / 10);
    break;
  case 3:
    p = BELOW(path / 10);
    break;
  case 4:
    p = BELOW(path / 10);
    break;
  case 5:
    p = BELOW(path / 10);
    break;
  case 6:
    p = BELOW(path / 10);
    break;
  case 7:
    p = BELOW(path / 10);
    break;
  case 8:
    p = BELOW(path / 10);
    break;
  default:
    p = BELOW(path / 10);
    break;
  }
  __asm__ volatile("" : "+r"(p)); /* no call in return position, and ten calls stay ten */
  return p;
}
#undef LEVEL
#undef BELOW
