/** Page contents that are a function of the page's identity. */
package io.orbitkv.testkit.pattern;
