/* moment.h - makes the figures of a running program those of one moment.
 *
 * Threads of the program go on while its capture is read: a figure that is read later has more
 * events in it, and the events themselves were read before all figures. With all events of the run,
 * figures can be made from these instead, up to the last event before which none is missing. Then
 * figures and events are those of one moment, however fast the program is.
 *
 * command.c and read/open.c call this when they have opened a capture.
 */
#ifndef GPM_TOOLS_MOMENT_H
#define GPM_TOOLS_MOMENT_H

#include "capture/reader.h"

/* Does nothing if the program does not run or the capture does not have all its events. Time in
 * scopes, their number of calls and the highest totals of devices in them stay as they were read,
 * since events do not have them. */
void gpm_moment_settle(struct gpm_reader *reader);
/* Makes a capture that was opened again one of the moment of `first`, whose figures
 * gpm_moment_settle made; does nothing for others. False: the program has reset its figures since.
 */
bool gpm_moment_repeat(struct gpm_reader *reader, const struct gpm_reader *first);

#endif
