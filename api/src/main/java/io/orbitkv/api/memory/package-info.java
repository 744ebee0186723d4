/** Host memory for pages: arenas in chunks, one allocation a page. */
package io.orbitkv.api.memory;
