/**
 * For authors of policies: contract tests by slot, and a tester that asks one policy in a line or
 * lets it meet a whole trace. All of it runs on a clock that moves only when told to, and gives a
 * policy no chance but a seeded one.
 */
package io.orbitkv.testkit.policy;
