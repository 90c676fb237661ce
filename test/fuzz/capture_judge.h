/* capture_judge.h - see capture_judge.c. */
#ifndef TEST_CAPTURE_JUDGE_H
#define TEST_CAPTURE_JUDGE_H

#include "capture/reader.h"

void capture_judge(struct gpm_reader *reader); /* aborts where it is not right */
/* Whether each event of the capture can be read, or it has none. */
bool capture_events_are_right(struct gpm_reader *reader);

#endif
