/**
 * For authors of policies: contract tests by slot, and a tester that asks one policy in a line. All
 * of it depends on the API alone, runs on a clock that moves only when told to, and gives a policy
 * no chance but a seeded one.
 */
package io.orbitkv.testkit.policy;
