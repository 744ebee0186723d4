/**
 * Which cell of a divided Manager an engine instance belongs to, and how messages of its sessions
 * get there.
 */
package io.orbitkv.manager.cell;
