/** Terminals of tests. */
import { onTestFinished, type TestContext } from "vitest";
import { type TerminalOptions, TestTerminal } from "./test-terminal.ts";

export { foreignSequences } from "./foreign-sequences.ts";
export type { TestTerminal } from "./test-terminal.ts";

/**
 * Runs a program in a pseudo-terminal, and kills it when the test is over. Concurrent tests pass their context.
 *
 * @throws Error when there is no such program or folder
 */
export async function openTerminal({
  context,
  ...options
}: TerminalOptions & { context?: Pick<TestContext, "onTestFinished"> }): Promise<TestTerminal> {
  const terminal = new TestTerminal(options);
  (context?.onTestFinished ?? onTestFinished)(() => terminal[Symbol.asyncDispose]());
  return terminal;
}
