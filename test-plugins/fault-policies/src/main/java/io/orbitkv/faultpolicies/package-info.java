/** A policy for every slot that fails where a test wants it. */
package io.orbitkv.faultpolicies;
