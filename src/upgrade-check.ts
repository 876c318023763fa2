/**
 * Detects that an upgrade replaced the program's own files while it runs. Modules that are loaded later would be missing,
 * or be another version under the same name.
 */
import Module from "node:module";
import { basename, dirname, join, sep } from "node:path";
import { PidexError } from "./errors.ts";
import { getFileStamp } from "./file-identity.ts";

type Load = (request: string, parent: { filename?: string } | undefined, isMain: boolean) => unknown;
const loader = Module as unknown as { _load: Load; _cache: Record<string, unknown> };

/** A compiled file, and its stamp when the program started. */
let built: { file: string; stamp: string | undefined } | undefined;

/**
 * Checks for an upgrade whenever one of the program's modules is loaded. Call it when the program starts.
 *
 * @param file the compiled entry point in `bin`; sources and the library's files are not checked
 */
export function watchForUpgrade(file: string): void {
  if (built || !file.endsWith(".js") || basename(dirname(file)) !== "bin") return;
  built = { file, stamp: getFileStamp(file) }; // npm sets the same mtime on all files
  const folder = dirname(file) + sep;
  const load = loader._load;
  // An `import()` in compiled code comes through here; each file costs one stat, when it is first loaded.
  loader._load = (request, parent, isMain) => {
    const from = parent?.filename;
    if (from?.startsWith(folder) && request.startsWith(".") && !loader._cache[join(dirname(from), request)])
      assertNotUpgraded();
    return load.call(Module, request, parent, isMain);
  };
}

/** @throws PidexError `UPGRADED` if the program's files were replaced since it started */
export function assertNotUpgraded(): void {
  if (!built || getFileStamp(built.file) === built.stamp) return;
  throw new PidexError(
    "UPGRADED",
    "pidex was upgraded while this process was running",
    "Restart pidex, or the program that started it (pi or an editor).",
  );
}
