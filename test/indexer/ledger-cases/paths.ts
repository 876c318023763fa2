import { homedir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { callerSession, type LedgerCase, runSession, scout, severalFiles, withCost } from "./case.ts";

/** A caller that costs $1.00, and the session of its run in another folder, $0.50, under the path that the caller recorded. */
const withPath = (name: string, sessionFile: (path: string, root: string) => string): LedgerCase =>
  severalFiles(
    name,
    (root) => ({
      "a.jsonl": callerSession(
        [scout({ sessionFile: sessionFile(join(root, "far away/A é.jsonl"), root), ...withCost(0.5) })],
        undefined,
      ),
      "far away/A é.jsonl": runSession("A", 0.5),
    }),
    1.5,
    2,
  );

export const PATHS: LedgerCase[] = [
  withPath("unchanged", (path) => path),
  withPath("with two slashes", (path) => path.replaceAll("/", "//")),
  withPath("with a dot", (path, root) => path.replace(root, `${root}/.`)),
  withPath("with two dots", (path, root) => path.replace(root, `${root}/x/..`)),
  withPath("with a trailing slash", (path) => `${path}/`),
  withPath("as a file URL", (path) => `file://${path}`),
  withPath("as an encoded file URL", (path) => pathToFileURL(path).href),
  withPath("as a file URL of this host", (path) => `file://localhost${encodeURI(path)}`),
  withPath("with a tilde", (path) => `~/${relative(homedir(), path)}`),
  severalFiles(
    "as a file URL without a path",
    () => ({ "a.jsonl": callerSession([scout({ sessionFile: "file://%zz", ...withCost(0.5) })], undefined) }),
    1.5,
    2,
  ),
];
