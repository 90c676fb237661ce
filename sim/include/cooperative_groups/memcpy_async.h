/* memcpy_async.h - cooperative_groups.h declares what the toolkit has here. */
#include "../cooperative_groups.h"
