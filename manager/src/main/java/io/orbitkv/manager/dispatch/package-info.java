/**
 * The one thread that owns the kernel: mailboxes, the carrying out of commands, and the threads for
 * device memory and chunks around it.
 */
package io.orbitkv.manager.dispatch;
