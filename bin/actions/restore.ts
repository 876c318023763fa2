/** Finds sessions in the trash. */
import { resolve } from "node:path";
import { PidexError, type TrashedSessionInfo } from "../../library/index.ts";
import { toCompressedPath } from "../../library/internal.ts";
import { formatCount } from "../format/safe.ts";

/**
 * The session in the trash that matches an id prefix, its path before deletion or in the trash, or `@last`. If several had
 * the same path, the last deleted.
 *
 * @param trashed newest deletion first
 * @throws PidexError `NOT_FOUND`, `AMBIGUOUS`
 */
export function findTrashedSession(
  trashed: readonly TrashedSessionInfo[],
  session: string,
): TrashedSessionInfo {
  if (trashed.length === 0) {
    const hint = "pidex restore brings back what pidex delete moved there.";
    throw new PidexError("NOT_FOUND", "no sessions in the trash", hint);
  }
  const path = resolve(session);
  const byPath =
    trashed.find((each) => each.trashPath === path) ??
    trashed.find((each) => each.path === path || each.path === toCompressedPath(path));
  if (byPath) return byPath;
  const found =
    session === "@last"
      ? trashed.slice(0, 1)
      : trashed.filter(({ id }) => session !== "" && id.startsWith(session));
  const [first] = found;
  const hint = "Run pidex trash to list deleted sessions.";
  if (!first) throw new PidexError("NOT_FOUND", `no session in the trash matches "${session}"`, hint);
  const others = new Set(found.map((each) => each.path)).size;
  if (others === 1) return first;
  throw new PidexError(
    "AMBIGUOUS",
    `"${session}" matches ${formatCount(others, "session")} in the trash`,
    hint,
  );
}
