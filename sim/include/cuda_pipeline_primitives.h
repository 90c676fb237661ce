/* cuda_pipeline_primitives.h - cuda_pipeline.h declares what the toolkit has here. */
#include "cuda_pipeline.h"
