/** The vocabulary of operations, shared by wire, kernel and clients. */
package io.orbitkv.api.query;
