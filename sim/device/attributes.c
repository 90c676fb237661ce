/* attributes.c - the attributes of the simulated device, from attributes.def. */
#include "base/errors.h"
#include "device/device.h"

#define ATTRIBUTES 148 /* numbers from 1 to one less */
#define PCI_BUS_ID 33

static const int values[ATTRIBUTES] = {
#define GPM_SIM_ATTRIBUTE(number, value) [number] = (value),
#include "device/attributes.def"
};

int gpm_sim_attribute(int device, int attribute, int *value) {
  if (device < 0 || device >= gpm_sim_device_count()) return GPM_SIM_INVALID_DEVICE;
  if (attribute < 1 || attribute >= ATTRIBUTES) return GPM_SIM_INVALID_VALUE;
  *value = attribute == PCI_BUS_ID ? device + 1 : values[attribute];
  return GPM_SIM_OK;
}
