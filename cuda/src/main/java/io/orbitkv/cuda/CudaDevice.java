package io.orbitkv.cuda;

/**
 * A GPU, or an instance of one.
 *
 * @param ordinal the driver's number in this process; {@code CUDA_VISIBLE_DEVICES} changes it
 * @param uuid what names it in every process, such as {@code
 *     GPU-3a2f8c11-5b7e-4f60-9d1c-0e8f2a6b7c4d}
 * @param name of the product
 * @param bytes of its memory
 */
public record CudaDevice(int ordinal, String uuid, String name, long bytes) {}
