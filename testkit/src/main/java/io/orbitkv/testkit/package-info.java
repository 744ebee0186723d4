/** Contract tests, and what a plugin needs around it in a test. */
package io.orbitkv.testkit;
