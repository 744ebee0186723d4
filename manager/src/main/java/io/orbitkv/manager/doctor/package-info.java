/** Looks whether a Manager would work on this machine, and says what to do where not. */
package io.orbitkv.manager.doctor;
