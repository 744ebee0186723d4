package io.orbitkv.ssd.store;

/**
 * What binds a block to its store.
 *
 * @param high of the store's UUID
 * @param low of the store's UUID
 */
record Identity(long high, long low) {}
