/* control.h - how a program controls the profiler. gpumemprof.h includes it.
 *
 * Every call is safe when the runtime is absent or off: it does nothing, and its result says so.
 * Any thread may make the calls, unless the comment says otherwise. None is async-signal-safe
 * unless the comment says so.
 *
 * Structures begin with their size. The program sets it to sizeof in the structures that it passes,
 * so that a program compiled with an older header continues to work, and may check it in those that
 * it receives. Structures are borrowed for the call; texts in them stay valid and unchanged to the
 * end of the process.
 */
#ifndef GPUMEMPROF_CONTROL_H
#define GPUMEMPROF_CONTROL_H

#include "gpumemprof/callbacks.h"
#include "gpumemprof/errors.h"
#include "gpumemprof/interpreter.h"
#include "gpumemprof/labels.h"
#include "gpumemprof/marks.h"
#include "gpumemprof/recording.h"
#include "gpumemprof/steps.h"
#include "gpumemprof/torch.h"

#endif /* GPUMEMPROF_CONTROL_H */
