package io.orbitkv.dram;

/**
 * The memory of one NUMA node: one mapping, cut into chunks.
 *
 * @param node the node
 * @param mapping where it lies
 */
record NodeArena(int node, PageMemory.Mapping mapping) {
  HugePages.Range range() {
    return new HugePages.Range(mapping.address(), mapping.address() + mapping.bytes());
  }
}
