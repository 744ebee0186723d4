package io.orbitkv.ssd.store;

/**
 * Where and when a record was written, as its header must say.
 *
 * @param mountEpoch of the opening that wrote its segment
 * @param pass of its segment
 * @param offset in the file
 */
record Place(long mountEpoch, long pass, long offset) {}
