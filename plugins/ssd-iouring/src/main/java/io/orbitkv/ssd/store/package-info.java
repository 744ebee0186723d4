/**
 * The store on one device: format, index, log, recovery. Pure state: no thread, no clock; transfers
 * and reports leave through an outbox.
 */
package io.orbitkv.ssd.store;
