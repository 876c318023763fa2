/**
 * Writes the library's declarations as one file that imports no package, since those who install pidex have none of the
 * packages that are bundled.
 *
 * Run as `node build/declarations.ts [folder]`, without a folder into `dist`.
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
if (output.length > 1) throw new Error(`the declarations are ${output.length} files`);
const imported = /^import .*"(?!node:)(.+)"/m.exec(output[0].code);
if (imported) throw new Error(`the declarations import ${imported[1]}`);
