/* cuda_types.h - the few CUDA types the entry points of cuda_api.def need, declared by ourselves.
 *
 * The runtime must build and run where no CUDA toolkit is installed, so it uses these
 * layout-compatible twins; test/api compares each with the toolkit's headers where there are some.
 */
#ifndef GPUMEMPROF_CUDA_TYPES_H
#define GPUMEMPROF_CUDA_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef struct CUstream_st *gpm_stream;      /* cudaStream_t, CUstream */
typedef struct CUmemPoolHandle_st *gpm_pool; /* cudaMemPool_t, CUmemoryPool */
typedef struct CUgraph_st *gpm_graph;        /* cudaGraph_t, CUgraph */
typedef struct CUgraphExec_st *gpm_exec;     /* cudaGraphExec_t, CUgraphExec */
typedef struct CUctx_st *gpm_context;        /* CUcontext */
typedef unsigned long long gpm_deviceptr;    /* CUdeviceptr */
typedef unsigned long long gpm_physical;     /* CUmemGenericAllocationHandle */

struct gpm_pitched_ptr { /* cudaPitchedPtr; sizes in bytes */
  void *ptr;
  size_t pitch;
  size_t xsize;
  size_t ysize;
};

struct gpm_extent { /* cudaExtent; width in bytes for linear memory, in elements for arrays */
  size_t width;
  size_t height;
  size_t depth;
};

struct gpm_channel_desc { /* cudaChannelFormatDesc; bits of each channel */
  int x;
  int y;
  int z;
  int w;
  int f; /* enum cudaChannelFormatKind */
};

struct gpm_array_desc { /* CUDA_ARRAY_DESCRIPTOR; in elements */
  size_t width;
  size_t height;
  int format; /* CUarray_format */
  unsigned channels;
};

struct gpm_array3d_desc { /* CUDA_ARRAY3D_DESCRIPTOR */
  size_t width;
  size_t height;
  size_t depth;
  int format;
  unsigned channels;
  unsigned flags; /* GPM_ARRAY_* */
};
#define GPM_ARRAY_LAYERED 0x1u   /* cudaArrayLayered, CUDA_ARRAY3D_LAYERED */
#define GPM_ARRAY_CUBE 0x4u      /* cudaArrayCubemap: six layers, or a multiple */
#define GPM_ARRAY_SPARSE 0x40u   /* cudaArraySparse: backed by cuMemCreate and cuMemMapArrayAsync */
#define GPM_ARRAY_DEFERRED 0x80u /* cudaArrayDeferredMapping: the same */

struct gpm_location { /* cudaMemLocation, CUmemLocation */
  int type;           /* GPM_ON_DEVICE: id is its ordinal; all other types are of the host */
  int id;
};
#define GPM_ON_DEVICE 1

struct gpm_physical_props { /* CUmemAllocationProp */
  int type;
  int handle_types;
  struct gpm_location location;
  void *win32;
  unsigned char flags[8];
};

struct gpm_pool_props { /* cudaMemPoolProps, CUmemPoolProps */
  int type;
  int handle_types;
  struct gpm_location location;
  void *win32;
  size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
};

struct gpm_pool_pointer { /* cudaMemPoolPtrExportData */
  unsigned char bytes[64];
};

struct gpm_ipc_handle { /* cudaIpcMemHandle_t, CUipcMemHandle */
  char bytes[64];
};

struct gpm_external { /* cudaExternalMemoryHandleDesc, CUDA_EXTERNAL_MEMORY_HANDLE_DESC */
  int type;
  union {
    int fd;
    const void *names[2];
  } handle;
  unsigned long long size; /* bytes */
  unsigned flags;
  unsigned reserved[16];
};

/* A view of imported memory takes no bytes of its own, because the import counts them. The line in
 * cuda_api.def names the description, whose text is shown as the size. */
static inline uint64_t gpm_view_bytes(const void *description) {
  (void)description;
  return 0;
}

struct gpm_graph_alloc { /* cudaMemAllocNodeParams, CUDA_MEM_ALLOC_NODE_PARAMS */
  struct gpm_pool_props pool;
  const void *access;
  size_t access_count;
  size_t bytes;
  gpm_deviceptr address; /* out */
};

struct gpm_graph_node { /* cudaGraphNodeParams, CUgraphNodeParams */
  int type;             /* GPM_GRAPH_NODE_*; others touch no memory */
  int reserved[3];
  union {
    long long room[29];
    struct gpm_graph_alloc alloc;
    gpm_deviceptr free;
    gpm_graph child;
  };
  long long reserved2;
};
#define GPM_GRAPH_NODE_GRAPH 4
#define GPM_GRAPH_NODE_ALLOC 10
#define GPM_GRAPH_NODE_FREE 11

struct gpm_dim3 { /* dim3 */
  unsigned x, y, z;
};

struct gpm_launch_config { /* cudaLaunchConfig_t */
  struct gpm_dim3 grid, block;
  size_t shared; /* bytes */
  gpm_stream stream;
  const struct gpm_launch_attribute *attributes;
  unsigned count;
};

struct gpm_driver_config { /* CUlaunchConfig */
  unsigned sizes[7];
  gpm_stream stream;
  const struct gpm_launch_attribute *attributes;
  unsigned count;
};

#define GPM_LAUNCH_PROGRAMMATIC 6 /* cudaLaunchAttributeProgrammaticStreamSerialization */
struct gpm_launch_attribute {     /* cudaLaunchAttribute, CUlaunchAttribute */
  int id;
  union {
    char bytes[64];
    void *aligned;
    int allowed; /* of PROGRAMMATIC */
  } value;
};

struct gpm_position { /* cudaPos; as gpm_extent */
  size_t x, y, z;
};

struct gpm_copy_3d { /* cudaMemcpy3DParms */
  void *from_array;  /* or null: of linear memory */
  struct gpm_position from_at;
  struct gpm_pitched_ptr from;
  void *to_array;
  struct gpm_position to_at;
  struct gpm_pitched_ptr to;
  struct gpm_extent extent;
  int kind;
};

struct gpm_copy_peer { /* cudaMemcpy3DPeerParms */
  void *from_array;
  struct gpm_position from_at;
  struct gpm_pitched_ptr from;
  int from_device;
  void *to_array;
  struct gpm_position to_at;
  struct gpm_pitched_ptr to;
  int to_device;
  struct gpm_extent extent;
};

/* The driver's, in bytes. Which of host, device and array is meant: GPM_MEMORY_*. */
struct gpm_copy_plane { /* CUDA_MEMCPY2D */
  size_t from_x, from_y;
  int from_type;
  const void *from_host;
  gpm_deviceptr from_device;
  void *from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  int to_type;
  void *to_host;
  gpm_deviceptr to_device;
  void *to_array;
  size_t to_pitch;
  size_t width, height;
};
struct gpm_copy_space { /* CUDA_MEMCPY3D */
  size_t from_x, from_y, from_z, from_level;
  int from_type;
  const void *from_host;
  gpm_deviceptr from_device;
  void *from_array, *reserved0;
  size_t from_pitch, from_height;
  size_t to_x, to_y, to_z, to_level;
  int to_type;
  void *to_host;
  gpm_deviceptr to_device;
  void *to_array, *reserved1;
  size_t to_pitch, to_height;
  size_t width, height, depth;
};
#define GPM_MEMORY_HOST 1 /* CU_MEMORYTYPE_HOST */
#define GPM_MEMORY_ARRAY 3

/* The beginning of cudaResourceDesc and CUDA_RESOURCE_DESC: what a texture or surface is of. */
struct gpm_resource {
  int type;
  void *address; /* of linear memory, or the handle of an array */
};

struct gpm_instantiate {    /* cudaGraphInstantiateParams, CUDA_GRAPH_INSTANTIATE_PARAMS */
  unsigned long long flags; /* GPM_GRAPH_AUTO_FREE and others */
  gpm_stream upload;
  void *error_node;
  int result;
};
#define GPM_GRAPH_AUTO_FREE 1u /* cudaGraphInstantiateFlagAutoFreeOnLaunch */

#define GPM_CUDA_SUCCESS 0
#define GPM_CUDA_OUT_OF_MEMORY 2 /* cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY */

#endif /* GPUMEMPROF_CUDA_TYPES_H */
