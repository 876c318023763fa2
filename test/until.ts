/** How long is waited at most, in milliseconds: far longer than it takes, so that a busy machine fails no test. */
const LONGEST_MS = 30_000;

/** Waits until something is so, looking again and again. @throws Error when it never is */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const began = performance.now(); !(await isSo()); ) {
    if (performance.now() - began > LONGEST_MS) throw new Error(`Waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
