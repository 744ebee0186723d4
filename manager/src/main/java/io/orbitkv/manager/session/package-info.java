/**
 * Connections of clients: the socket, who may connect, frames in and out, and the translation of
 * messages into events of the kernel.
 */
package io.orbitkv.manager.session;
