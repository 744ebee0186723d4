/** The tier: the store's front towards the Manager, with its threads and settings. */
package io.orbitkv.ssd;
