/**
 * Identity and shape of pages: keys, namespaces, groups, and how a page lies in device and host
 * memory.
 */
package io.orbitkv.api.page;
