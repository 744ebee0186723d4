/** What a model needs back before it can go on from a boundary. */
package io.orbitkv.api.recovery;
