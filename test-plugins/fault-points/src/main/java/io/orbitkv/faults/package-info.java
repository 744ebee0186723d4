/** The plugin's entry and what it offers. */
package io.orbitkv.faults;
