/** Memory that stands in for the device memory of an engine. */
package io.orbitkv.testkit.memory;
