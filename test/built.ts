/**
 * The command line as it is published, bundled once before the tests: those of the picker start it dozens of times, and
 * from its sources that takes three times as long.
 */
import { join } from "node:path";
import { rolldown } from "rolldown";
import { commandLine } from "../rolldown.config.ts";

const HOME = join(import.meta.dirname, "..");
const FOLDER = join(HOME, "node_modules", ".cache", "built");

/** The built program. */
export const BUILT_PIDEX = join(FOLDER, "pidex.js");

export default async function build(): Promise<void> {
  const { output, ...input } = commandLine;
  const bundle = await rolldown({ ...input, cwd: HOME });
  // Not cleaned first: another run of the tests may be at it.
  await bundle.write({ ...output, dir: FOLDER, cleanDir: false });
  await bundle.close();
}
