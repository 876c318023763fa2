/**
 * Writes the library's declarations as one file that imports no packages, because the bundled packages are not installed
 * with pidex.
 *
 * Usage: `node build/declarations.ts [folder]`. The default folder is `dist`.
 */
import { join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { plainTypes } from "./plain-types.ts";

const ROOT = join(import.meta.dirname, "..");

const bundle = await rolldown({
  cwd: ROOT,
  input: { index: "library/index.ts" },
  external: /^[^./]/,
  treeshake: { moduleSideEffects: false },
  plugins: [
    plainTypes(),
    dts({ generator: "tsgo", tsconfig: join(ROOT, "tsconfig.build.json"), emitDtsOnly: true }),
  ],
  checks: { bundlerTimings: false },
});
const { output } = await bundle.write({ dir: process.argv[2] ?? join(ROOT, "dist"), format: "esm" });
await bundle.close();
if (output.length > 1) throw new Error(`the declarations have ${output.length} files, not one`);
const imported = /^import .*"(?!node:)(.+)"/m.exec(output[0].code);
if (imported) throw new Error(`the declarations import ${imported[1]}`);
