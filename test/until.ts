/** Maximum wait in milliseconds: much longer than needed, so that no test fails on a busy machine. */
const LONGEST_MS = 30_000;

/** Polls until a condition holds. @throws Error if it never does */
export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const began = performance.now(); !(await isSo()); ) {
    if (performance.now() - began > LONGEST_MS) throw new Error(`Waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
