/* device_names.c - finds the GPU that the program names in a call: by its number, its UUID or the
 * beginning of that, or `current`.
 *
 * The devices are those that CUDA reports, with or without allocations. Asking how many there are
 * may start the driver, but creates no context.
 */
#include "cuda/device_names.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/text.h"
#include "cuda/cuda_query.h"
#include "records/devices.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define UUID_TEXT 41
#define MOST_NAMED 16 /* in a message */

/* "GPU-0f1e2d3c-..."; "" if unknown. A part of a GPU (MIG) has a UUID of its own, which CUDA
 * reports in the same way. */
static void text_of_uuid(int ordinal, char text[UUID_TEXT]) {
  uint8_t uuid[16];
  text[0] = 0;
  if (!gpm_cuda_uuid(ordinal, uuid)) return;
  size_t length = gpm_text_add(text, UUID_TEXT, 0, "GPU");
  for (int i = 0; i < 16; i++) {
    static const char digits[] = "0123456789abcdef";
    char one[3] = {digits[uuid[i] >> 4], digits[uuid[i] & 15], 0};
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10)
      length = gpm_text_add(text, UUID_TEXT, length, "-");
    length = gpm_text_add(text, UUID_TEXT, length, one);
  }
}

/* Lists the devices: "0 (GPU-...), 1 (GPU-...)". */
static void list_devices(char *text, size_t size) {
  char uuid[UUID_TEXT];
  int count = gpm_cuda_count_devices();
  size_t length = gpm_text_add(text, size, 0, count > 0 ? "there are: " : "CUDA reports none");
  for (int i = 0; i < count && i < MOST_NAMED; i++) {
    text_of_uuid(i, uuid);
    length = gpm_text_add(text, size, length, i ? ", " : "");
    length = gpm_text_add_number(text, size, length, (uint64_t)i);
    if (!*uuid) continue;
    length = gpm_text_add(text, size, length, " (");
    length = gpm_text_add(text, size, length, uuid);
    length = gpm_text_add(text, size, length, ")");
  }
  if (count > MOST_NAMED) gpm_text_add(text, size, length, ", ...");
}

static void say_unknown(const char *call, const char *device) {
  char known[1200];
  list_devices(known, sizeof known);
  gpm_text_say(call, ": there is no device `", device, "`; ", known, NULL);
}

void gpm_device_names_say(const char *call, int ordinal) {
  char number[24] = "-";
  gpm_text_add_number(number, sizeof number, ordinal < 0,
                      ordinal < 0 ? 0 - (uint64_t)ordinal : (uint64_t)ordinal);
  say_unknown(call, number);
}

bool gpm_device_exists(int ordinal) {
  if (ordinal < 0) return ordinal >= GPUMEMPROF_CUSTOM;
  return gpm_ledger_known_device(ordinal) || ordinal < gpm_cuda_count_devices();
}

static int by_number(const char *text) {
  uint64_t number = 0;
  for (const char *c = text; *c; c++) {
    if (*c < '0' || *c > '9' || number > INT32_MAX) return -1;
    number = number * 10 + (uint64_t)(*c - '0');
  }
  return *text && number <= INT32_MAX && gpm_device_exists((int)number) ? (int)number : -1;
}

/* Returns how many devices have a UUID that begins with the text, and one of them in *ordinal. */
static int by_uuid(const char *text, int *ordinal) {
  char uuid[UUID_TEXT];
  size_t length = strlen(text);
  int found = 0, count = gpm_cuda_count_devices();
  for (int i = 0; i < count; i++) {
    text_of_uuid(i, uuid);
    if (!*uuid || strncasecmp(uuid + 4, text + 4, length - 4) != 0) continue;
    *ordinal = i;
    found++;
  }
  return found;
}

static int by_text(const char *text) {
  int ordinal = -1;
  if (!strcmp(text, "current")) {
    ordinal = gpm_cuda_current_or(gpm_cuda_count_devices() > 0 ? 0 : -1);
    if (ordinal < 0) gpm_text_say("gpumemprof_device: no device is current", NULL);
    return ordinal;
  }
  if ((!strncasecmp(text, "GPU-", 4) || !strncasecmp(text, "MIG-", 4)) && text[4]) {
    if (by_uuid(text, &ordinal) > 1) {
      gpm_text_say("gpumemprof_device: more than one device's UUID begins with `", text, "`", NULL);
      return -1;
    }
  } else ordinal = by_number(text);
  if (ordinal < 0) say_unknown("gpumemprof_device", strlen(text) < 100 ? text : "(too long)");
  return ordinal;
}

int __gpumemprof_device(const char *text) {
  int saved = errno;
  if (!gpm_recording()) return GPUMEMPROF_ERROR_OFF;
  int ordinal = by_text(text ? text : "");
  errno = saved;
  return ordinal < 0 ? GPUMEMPROF_ERROR_DEVICE : ordinal;
}
