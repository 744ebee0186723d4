/** Bytes that queries own: limits, admission, reservations and their phases. */
package io.orbitkv.kernel.budget;
