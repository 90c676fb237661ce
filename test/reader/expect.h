/* expect.h - a check of the tests of the reader library: says where and what, and ends. */
#ifndef TEST_READER_EXPECT_H
#define TEST_READER_EXPECT_H

#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition)                                                                          \
  do                                                                                               \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
      exit(1);                                                                                     \
    }                                                                                              \
  while (0)

#endif
