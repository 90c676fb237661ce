/* uuid.h - the identifier both APIs use for a device. */
#ifndef GPUMEMPROF_SIM_UUID_H
#define GPUMEMPROF_SIM_UUID_H

struct CUuuid_st {
  char bytes[16];
};
typedef struct CUuuid_st CUuuid;
typedef struct CUuuid_st cudaUUID_t;

#endif /* GPUMEMPROF_SIM_UUID_H */
