/** What the kernel asks policies, and what it is told. */
package io.orbitkv.kernel.policy;
