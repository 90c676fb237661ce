/* recording.h - what is recorded from now on, and when: pauses, history, samples, copies of the
 * capture. control.h includes it. */
#ifndef GPUMEMPROF_RECORDING_H
#define GPUMEMPROF_RECORDING_H

#include "gpumemprof/calls.h"
#include "gpumemprof/errors.h"

#include <stdint.h>

/* ---- pauses -------------------------------------------------------------------------------------
 */
/* While recording is paused, what any thread allocates and frees belongs to one line named
 * (paused), outside of every scope. Totals, peaks of devices, live blocks and sums remain exact. No
 * call path is kept, no own peak of a scope includes it, and no figure of a measured scope does
 * (measure.h). A block that was allocated before the pause can be freed during it, and a block that
 * was allocated during it belongs to that line. Scopes continue, and profiled ones count their
 * calls.
 *
 * Pauses are counted: recording continues after as many resumes. GPUMEMPROF_OPTIONS=paused=1 begins
 * with one pause. An event that is under way when a pause begins or ends may be on either side.
 * Both functions return 0, or GPUMEMPROF_ERROR_OFF; resume returns _ARGUMENT, after a sentence on
 * standard error, if recording is not paused. A pause ends the faster path as the first hook does,
 * for good: it is meant for what does not deserve a line, and makes nothing faster. Children that
 * are forked inherit the pauses. */
/* Begin and end a pause. */
GPUMEMPROF_CALL_(int, pause, (void), (), GPUMEMPROF_ERROR_OFF)
GPUMEMPROF_CALL_(int, resume, (void), (), GPUMEMPROF_ERROR_OFF)

/* ---- history ------------------------------------------------------------------------------------
 */
/* Changes how the events are recorded from now on: every event one by one ("all"), only the latest
 * ("ring", as many as the option ring= says), or none ("off"). GPUMEMPROF_OPTIONS=history= sets the
 * initial mode, and a child that is forked later begins with the mode that is set then. `gpumemprof
 * events` shows the events, and says that they are of a part of the run. Figures need no history
 * and are always of the whole run. Events that are under way during the change may be recorded or
 * not.
 *
 * Returns 0, or GPUMEMPROF_ERROR_OFF, or _ARGUMENT if there is no such mode (a sentence says which
 * there are). The call ends the faster path as the first hook does. While events are recorded, each
 * costs some 20 ns and 4 to 6 bytes. */
GPUMEMPROF_CALL_(int, history, (const char *mode), (mode), GPUMEMPROF_ERROR_OFF)

/* Sets what the call paths of events contain, from now on, of code that was not rebuilt: the module
 * that called CUDA ("scopes"), or every module on the machine stack up to the innermost rebuilt
 * code, each with its latest 8 calls ("native"). GPUMEMPROF_OPTIONS=stacks= sets the initial mode.
 * Such code is recorded with cupti=on, and where PyTorch asks for memory. The results are those of
 * gpumemprof_history. With "native", each event of such code costs some 10 us, and each stack has a
 * call path. */
GPUMEMPROF_CALL_(int, stacks, (const char *mode), (mode), GPUMEMPROF_ERROR_OFF)

/* ---- at times ----------------------------------------------------------------------------------
 */

/* Takes a sample of what each device has in use every `interval_ns` nanoseconds, as the option
 * monitor= does, from the moment that a device is first seen. A monitor that runs already continues
 * with the new interval. Returns 0, or GPUMEMPROF_ERROR_OFF, or _ARGUMENT if the interval is less
 * than a millisecond (with a sentence), or _SYSTEM. With _SYSTEM, errno is EAGAIN if no thread can
 * be started, or EBUSY if the driver still holds the thread that was stopped. It costs a thread of
 * the runtime's own, and a few microseconds of it for each sample and device. A forked child takes
 * samples from its first device on. */
GPUMEMPROF_CALL_(int, monitor_start, (uint64_t interval_ns), (interval_ns), GPUMEMPROF_ERROR_OFF)
/* Stops the monitor. When the call returns, the latest sample was taken, or the driver did not
 * answer for a second. */
GPUMEMPROF_CALL_VOID_(monitor_stop, (void), ())

/* Writes a copy of the capture as it is now to `path`. The copy is a separate file, which every
 * command of the tool can read while the program continues. If `path` is null, the file is
 * NAME.dumpN.gmprof beside the capture NAME.gmprof, with N from 1. An existing file is replaced if
 * it is empty, or is a capture that no program is writing.
 *
 * Returns 0, or GPUMEMPROF_ERROR_OFF, or _SYSTEM. With _SYSTEM, a sentence is on standard error and
 * no file is left. errno is then ENOSPC or similar; EISDIR, ELOOP (a link) or ENXIO (a device) for
 * what is not a regular file; EEXIST for a file that is not a capture; or EBUSY for the capture of
 * a running program.
 *
 * The figures are of one moment except for what other threads do meanwhile, as in the capture of a
 * running program. The call takes as long as writing the file. Other threads do not wait for it,
 * and signals to this thread are held back meanwhile. */
GPUMEMPROF_CALL_(int, dump, (const char *path), (path), GPUMEMPROF_ERROR_OFF)

#endif /* GPUMEMPROF_RECORDING_H */
