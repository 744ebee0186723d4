/** The Manager as a process or inside one: start it, ask it, end it. */
package io.orbitkv.manager;
