import { SessionManager, type SessionSizes } from "../../library/index.ts";
import { isCompressed } from "../../library/internal.ts";
import type { WriteBoundary } from "./inside-roots.ts";

/**
 * Compresses a session file, or restores a compressed one.
 *
 * @returns both sizes in bytes; undefined if it is as wanted already, or would not get smaller
 * @throws PidexError as `SessionManager.compress` and `decompress`
 */
export function setCompressed(
  path: string,
  compressed: boolean,
  inside: WriteBoundary,
): SessionSizes | undefined {
  if (isCompressed(path) === compressed) return undefined;
  if (!compressed) return SessionManager.decompress(path, inside);
  const sizes = SessionManager.compress(path, { ...inside, onlyIfSmaller: true });
  return sizes.compressedBytes < sizes.bytes ? sizes : undefined;
}
