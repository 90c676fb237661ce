/* device.c - the simulated devices and the spaces that belong to none: pinned and managed memory,
 * and addresses reserved by cuMemAddressReserve. Opened at first use.
 */
#include "device/device.h"
#include "base/lock.h"
#include "base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIB (UINT64_C(1) << 40)
#define LEAST_ADDRESSES (UINT64_C(64) << 30)

static struct gpm_sim_device devices[GPM_SIM_MAX_DEVICES];
static struct gpm_sim_space pinned, managed, virtual, foreign;

/* Managed and pinned memory are bounded by the host, not by a device. */
static struct gpm_sim_space *open_space(struct gpm_sim_space *space, uint64_t capacity,
                                        uint64_t size, enum gpm_sim_backing backing) {
  GPM_SIM_LOCKED;
  if (!space->base && !gpm_sim_space_open(space, capacity, size, backing)) {
    gpm_sim_say("the host has no address space left for the simulated device");
    exit(2);
  }
  return space;
}

int gpm_sim_device_count(void) {
  return (int)gpm_sim_options()->devices;
}

struct gpm_sim_device *gpm_sim_device(int ordinal) {
  if (ordinal < 0 || ordinal >= gpm_sim_device_count()) return NULL;
  GPM_SIM_LOCKED;
  struct gpm_sim_device *device = &devices[ordinal];
  if (!device->space.base) {
    uint64_t granularity = gpm_sim_options()->granularity;
    uint64_t memory = gpm_sim_options()->memory;
    memory -= memory % granularity;
    /* Pages of a device can be mapped anywhere, so an allocation must not fail because free memory
     * is in pieces. There are therefore several times as many addresses as bytes. */
    uint64_t size = memory * 4 > LEAST_ADDRESSES ? memory * 4 : LEAST_ADDRESSES;
    device->ordinal = ordinal;
    /* Kernels that the host runs use the addresses that the program sees. */
    bool reached = *gpm_sim_options()->kernels;
    open_space(&device->space, memory, size, reached ? GPM_SIM_SAME : GPM_SIM_ELSEWHERE);
  }
  return device;
}

struct gpm_sim_space *gpm_sim_managed_space(void) {
  return open_space(&managed, TIB, TIB, GPM_SIM_SAME);
}

struct gpm_sim_space *gpm_sim_pinned_space(void) {
  return open_space(&pinned, TIB, TIB, GPM_SIM_SAME);
}

struct gpm_sim_space *gpm_sim_virtual_space(void) {
  return open_space(&virtual, 8 * TIB, 8 * TIB, GPM_SIM_BARE);
}

struct gpm_sim_space *gpm_sim_foreign_space(void) {
  return open_space(&foreign, TIB, TIB, GPM_SIM_ELSEWHERE);
}

static bool inside(const struct gpm_sim_space *space, uint64_t address) {
  return space->base && address - space->base < space->size;
}

bool gpm_sim_address_is_ours(uint64_t address) {
  GPM_SIM_LOCKED;
  for (int i = 0; i < gpm_sim_device_count(); i++)
    if (inside(&devices[i].space, address)) return true;
  return inside(&pinned, address) || inside(&managed, address) || inside(&virtual, address) ||
         inside(&foreign, address);
}

void gpm_sim_device_uuid(int ordinal, char bytes[16]) {
  memset(bytes, 0, 16);
  memcpy(bytes, "gpumemprof-sim", 14);
  bytes[15] = (char)ordinal;
}

void gpm_sim_device_bus(int ordinal, char *text, size_t size) {
  snprintf(text, size, "0000:%02X:00.0", (unsigned)ordinal + 1);
}

int gpm_sim_device_by_bus(const char *text) {
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  int fields = sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function);
  if (fields < 3) {
    domain = 0;
    if (sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2) return -1;
  }
  if (domain || slot || function || bus < 1 || bus > (unsigned)gpm_sim_device_count()) return -1;
  return (int)bus - 1;
}

/* Reports at the end, if verbose, how much of each device was needed. */
__attribute__((destructor)) static void say_highest(void) {
  for (int i = 0; gpm_sim_options()->verbose && i < gpm_sim_device_count(); i++)
    if (devices[i].space.base)
      gpm_sim_say("device %d: at most %llu of %llu bytes were in use", i,
                  (unsigned long long)devices[i].space.highest,
                  (unsigned long long)devices[i].space.capacity);
}
