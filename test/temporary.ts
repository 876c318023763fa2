import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";

/**
 * A new empty folder, deleted after the test.
 *
 * @param context the test's context, required in concurrent tests
 * @param parent the folder to create it in
 */
export function temporaryFolder(
  context?: Pick<TestContext, "onTestFinished">,
  parent: string = tmpdir(),
): string {
  const folder = mkdtempSync(join(parent, "pidex-test-"));
  (context?.onTestFinished ?? onTestFinished)(() => {
    if (existsSync(folder)) chmodSync(folder, 0o700); // a test may have removed the permission
    // Retried, because a killed process may still be exiting.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return folder;
}
