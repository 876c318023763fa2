import { SessionManager, type SessionSizes } from "../../library/index.ts";
import { isCompressed } from "../../library/internal.ts";
import type { WriteBoundary } from "./inside-roots.ts";

/**
 * Compresses a session file, or restores a compressed one.
 *
 * @returns both sizes in bytes; undefined if it is as wanted already
 * @throws PidexError as `SessionManager.compress` and `decompress`
 */
export function setCompressed(
  path: string,
  compressed: boolean,
  inside: WriteBoundary,
): SessionSizes | undefined {
  if (isCompressed(path) === compressed) return undefined;
  return compressed ? SessionManager.compress(path, inside) : SessionManager.decompress(path, inside);
}
