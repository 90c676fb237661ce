/* capture_uses.h - a part of capture.h: which operations used which memory (uses=on).
 *
 * An operation is a launch of a kernel, a copy, a fill, a prefetch or a call of a library. Each is
 * an event in EVENTS (GPUMEMPROF_OTHER_USE), in the order of the program's calls, and refers to a
 * record of USES: all that the operations of one call at one place have in common. Addresses are
 * recorded as the program passed them; readers find the blocks in which they lie, at that moment of
 * the history.
 */
#ifndef GPUMEMPROF_CAPTURE_USES_H
#define GPUMEMPROF_CAPTURE_USES_H

#include "gpumemprof/capture.h"

/* What an operation is, and the values of its event. */
enum gpumemprof_use {
  /* The words of the kernel's parameters, in the order of KERNEL_WORDS. */
  GPUMEMPROF_USE_LAUNCH = 1,
  /* Destination, bytes from there on, source, bytes from there on. The source is memory of a
   * device. COPY changes every byte of the first and reads every byte of the other; ROWS may leave
   * gaps. */
  GPUMEMPROF_USE_COPY = 2,
  GPUMEMPROF_USE_COPY_ROWS = 3,
  GPUMEMPROF_USE_FILL = 4, /* destination, bytes from there on */
  GPUMEMPROF_USE_FILL_ROWS = 5,
  GPUMEMPROF_USE_PREFETCH = 6, /* address, bytes from there on; neither reads nor changes them */
  /* Pointers that a function of a library was given, which it may keep and use at later calls; 0:
   * none. LIBRARY_CALL: it keeps none. It may follow addresses in memory; see LIBRARY_ARGUMENTS. */
  GPUMEMPROF_USE_LIBRARY = 7,
  GPUMEMPROF_USE_LIBRARY_CALL = 8,
  /* COPY and COPY_ROWS from the host, whose source was searched for addresses: those of blocks are
   * in ADDRESSES before it, by the same thread. */
  GPUMEMPROF_USE_UPLOAD = 9,
  GPUMEMPROF_USE_UPLOAD_ROWS = 10,
  /* Addresses that may be in memory from now on which kernels and libraries read; 0: none. */
  GPUMEMPROF_USE_ADDRESSES = 11,
  /* It may use any memory, and store the address of any; no values. A graph is launched, or a
   * function is called whose arguments do not say what it uses. */
  GPUMEMPROF_USE_ANY = 12,
  /* An address: another process may use the block at any time from now on. */
  GPUMEMPROF_USE_SHARED = 13,
  /* Code that was not rebuilt may use any memory at any time. It has no site and no event. */
  GPUMEMPROF_USE_UNSEEN = 14,
  /* Destination, bytes from there on, source of the latest copy from the host with these three:
   * when an operation before this event, of any thread, was about to be made, what had been copied
   * was still at the source (UNCHANGED), or it was not (CHANGED). Only with uses=verify. */
  GPUMEMPROF_USE_UNCHANGED = 15,
  GPUMEMPROF_USE_CHANGED = 16,
  /* LIBRARY_CALL of a function that follows no address in memory. */
  GPUMEMPROF_USE_LIBRARY_ARGUMENTS = 17,
  /* The program has __managed__ variables, in which the host may store addresses that devices read.
   * It has no site and no event. */
  GPUMEMPROF_USE_MANAGED_VARIABLES = 18,
  /* A stream begins to be captured into a graph, and a capture ends; no values. What is asked for
   * between them may become a node and run only in launches of that graph, and the program can
   * mostly neither allocate nor free there. */
  GPUMEMPROF_USE_CAPTURE_BEGINS = 19,
  GPUMEMPROF_USE_CAPTURE_ENDS = 20,
  /* COPY and COPY_ROWS from the host, whose source was not searched. */
  GPUMEMPROF_USE_UNSEARCHED = 21,
  GPUMEMPROF_USE_UNSEARCHED_ROWS = 22,
  /* A rebuilt program or library has device code, of which `stream` is a hash: the XXH64 of its
   * section .nv_fatbin, whose seed is that of __nv_relfatbin with seed 0, or 0 where there is none.
   * It has no site and no event. */
  GPUMEMPROF_USE_DEVICE_CODE = 23,
  /* A stream is destroyed; no values. What it was asked to do goes on. A stream that is created
   * later may have its handle. */
  GPUMEMPROF_USE_STREAM_ENDS = 24,
  /* The program made a device current in a thread: `stream` is its ordinal, or the address of a
   * context. If operations were recorded before, device 0 is recorded, too: each thread begins with
   * that one. It has no site and no event. */
  GPUMEMPROF_USE_CURRENT_DEVICE = 25,
  /* The next launch in the stream may begin before what was asked for earlier there has ended
   * (cudaLaunchAttributeProgrammaticStreamSerialization); no values. */
  GPUMEMPROF_USE_OVERLAP = 26
};
#define GPUMEMPROF_USE_COUNT 27 /* one more than the last */

/* Bytes before a block that the first element of an array may take which counts from 1: a pointer
 * that is so close before a block may be meant to lead into it. */
#define GPUMEMPROF_USE_NEAR 256u

/* Which code that the plugin did not compile uses memory. */
enum gpumemprof_unseen {
  GPUMEMPROF_UNSEEN_OBJECT = 0,  /* the program or a library */
  GPUMEMPROF_UNSEEN_PART = 1,    /* a part of one of which other files are compiled by the plugin */
  GPUMEMPROF_UNSEEN_FOUND = 2,   /* the function is called by an address that was found by name */
  GPUMEMPROF_UNSEEN_STRIPPED = 3 /* whether there is such code is not known */
};
#define GPUMEMPROF_UNSEEN_COUNT 4 /* one more than the last */

/* What operations of one call, kernel and stream have in common. */
struct gpumemprof_capture_use {
  uint32_t site;     /* of the call, a record of SITES; NONE: unknown */
  uint16_t what;     /* enum gpumemprof_use */
  uint16_t values;   /* how many each event has */
  uint32_t kernel;   /* LAUNCH: record of KERNELS; else NONE */
  uint32_t object;   /* UNSEEN, DEVICE_CODE: string: the path of that code; else none */
  uint64_t stream;   /* handle, as in STREAMS; 0 and 1: the default stream */
  uint32_t unseen;   /* UNSEEN: enum gpumemprof_unseen; else 0 */
  uint32_t function; /* UNSEEN: string: of FOUND, what is called; of PART, what calls; else none */
};
_Static_assert(sizeof(struct gpumemprof_capture_use) == 32, "use layout");

/* A kernel that was launched. Its words are `words` records of KERNEL_WORDS from `first_word` on.
 */
struct gpumemprof_capture_kernel {
  uint32_t name;   /* string: "step<float>" */
  uint32_t symbol; /* string: its name in device code, "_Z4stepIfEvPT_"; none: not known */
  uint32_t file;   /* string; none: not known */
  uint32_t line;
  uint32_t first_word;
  uint16_t words;
  uint16_t flags; /* GPUMEMPROF_KERNEL_* */
  uint64_t reserved[3];
};
_Static_assert(sizeof(struct gpumemprof_capture_kernel) == 48, "kernel layout");
/* Its parameters are not known, so it may use any block whose address is in device memory, and any
 * that it was given. It has no words. */
#define GPUMEMPROF_KERNEL_UNKNOWN 1u

/* Eight bytes of a kernel's parameters that may hold an address. */
struct gpumemprof_capture_kernel_word {
  uint32_t kernel;    /* record of KERNELS */
  uint16_t parameter; /* from 0 */
  uint16_t offset;    /* in the parameter, in bytes */
  uint32_t name;      /* string: "weights", "layer.weights"; none: not known */
  uint32_t flags;     /* GPUMEMPROF_WORD_* */
};
_Static_assert(sizeof(struct gpumemprof_capture_kernel_word) == 16, "kernel word layout");
/* It has the type of a pointer. Else it is a number or a part of a union in which an address could
 * be, so an operation that has an address there may use the block. */
#define GPUMEMPROF_WORD_POINTER 1u

#endif /* GPUMEMPROF_CAPTURE_USES_H */
