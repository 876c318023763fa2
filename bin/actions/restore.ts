/** Sessions in the trash, as somebody names them. */
import { resolve } from "node:path";
import { PidexError, type TrashedSessionInfo } from "../../library/index.ts";
import { counted } from "../format/safe.ts";

/**
 * The session in the trash that is meant: the start of its id, its path here or there, or `@last`. Of several that were at
 * one path, the last deleted.
 *
 * @param trashed the last deleted first
 * @throws PidexError `NOT_FOUND`, `AMBIGUOUS`
 */
export function matchTrashed(trashed: readonly TrashedSessionInfo[], asked: string): TrashedSessionInfo {
  const path = resolve(asked);
  const byPath =
    trashed.find((each) => each.trashPath === path) ?? trashed.find((each) => each.path === path);
  if (byPath) return byPath;
  const found =
    asked === "@last"
      ? trashed.slice(0, 1)
      : trashed.filter(({ id }) => asked !== "" && id.startsWith(asked));
  const [first] = found;
  const hint = "pidex restore without an id lists the sessions that can be restored.";
  if (!first) throw new PidexError("NOT_FOUND", `no session in the trash matches ${asked}`, hint);
  const others = new Set(found.map((each) => each.path)).size;
  if (others === 1) return first;
  throw new PidexError("AMBIGUOUS", `"${asked}" matches ${counted(others, "session")} in the trash`, hint);
}
