/** Terminals of tests. */
import { onTestFinished, type TestContext } from "vitest";
import { type TerminalOptions, TestTerminal } from "./test-terminal.ts";

export { foreignSequences } from "./foreign-sequences.ts";
export type { TestTerminal } from "./test-terminal.ts";

/**
 * Runs a program in a pseudo-terminal, and kills it when the test ends. Concurrent tests pass their context.
 *
 * @throws Error if the program or folder does not exist
 */
export async function openTerminal({
  context,
  ...options
}: TerminalOptions & { context?: Pick<TestContext, "onTestFinished"> }): Promise<TestTerminal> {
  const terminal = new TestTerminal(options);
  (context?.onTestFinished ?? onTestFinished)(() => terminal[Symbol.asyncDispose]());
  return terminal;
}
