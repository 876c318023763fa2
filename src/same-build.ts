/**
 * Notices that the program's own files were replaced while it runs, as an upgrade does. What it loads when it is first needed
 * would be missing then, or of another version under the same name.
 */
import Module from "node:module";
import { basename, dirname, join, sep } from "node:path";
import { PidexError } from "./errors.ts";
import { fileStamp } from "./file-identity.ts";

type Load = (request: string, parent: { filename?: string } | undefined, isMain: boolean) => unknown;
const loader = Module as unknown as { _load: Load; _cache: Record<string, unknown> };

/** A file that was built, and what it was when the program began. */
let built: { file: string; stamp: string | undefined } | undefined;

/**
 * Called when the program begins.
 *
 * @param file one of its own files. Sources are not replaced as a whole, and the library's files are a part of another program
 */
export function noticeUpgrade(file: string): void {
  if (built || !file.endsWith(".js") || basename(dirname(file)) !== "bin") return;
  built = { file, stamp: fileStamp(file) }; // npm gives all files one time, so inode and size count too
  const folder = dirname(file) + sep;
  const load = loader._load;
  // Whatever is required by `import()` in what was built comes through here; one stat for each file, the first time.
  loader._load = (request, parent, isMain) => {
    const from = parent?.filename;
    if (from?.startsWith(folder) && request.startsWith(".") && !loader._cache[join(dirname(from), request)])
      assertNotUpgraded();
    return load.call(Module, request, parent, isMain);
  };
}

/** @throws PidexError `UPGRADED` when the program's files were replaced since it began */
export function assertNotUpgraded(): void {
  if (!built || fileStamp(built.file) === built.stamp) return;
  throw new PidexError(
    "UPGRADED",
    "pidex was upgraded while this was running; start it again",
    "Restart this pidex, or the program that started it (pi, or an editor). Nothing was changed by this request.",
  );
}
