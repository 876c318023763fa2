import { homedir } from "node:os";
import { toField } from "../../format/safe.ts";

/** A path with `~` for the home folder, safe for terminals. */
export function shortenPath(path: string): string {
  const home = homedir();
  return toField(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}
