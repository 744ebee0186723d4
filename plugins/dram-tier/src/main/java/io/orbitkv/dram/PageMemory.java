package io.orbitkv.dram;

/** What the tier asks of the system; a seam so that refusals can be tested. Any thread. */
interface PageMemory {
  /**
   * Maps private anonymous memory and touches nothing.
   *
   * @return the address, aligned to {@code alignment}
   * @throws IllegalStateException saying what the system refused
   */
  Mapping map(long bytes, long alignment);

  /** Returns a mapping to the system. */
  void unmap(Mapping mapping);

  /**
   * Asks for huge pages.
   *
   * @return 0, or the system's error number
   */
  int adviseHugePages(long address, long bytes);

  /**
   * Leaves a range out of core dumps.
   *
   * @return 0, or the system's error number
   */
  int leaveOutOfDumps(long address, long bytes);

  /**
   * Makes pages present and writable. Their content stays zero.
   *
   * @throws IllegalStateException when the system has no memory for them
   */
  void populate(long address, long bytes);

  /**
   * A mapping with what was mapped around it for the alignment.
   *
   * @param address of the first usable byte
   * @param bytes usable
   * @param reservedAddress of the first mapped byte
   * @param reservedBytes mapped
   */
  record Mapping(long address, long bytes, long reservedAddress, long reservedBytes) {}
}
