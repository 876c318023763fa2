/** The sessions in the trash, with their sizes. */
import { statSync } from "node:fs";
import type { Index, TrashedSessionInfo } from "../../library/index.ts";

/** With the size of the session file, without what was deleted with it. */
export type TrashedSession = TrashedSessionInfo & { bytes: number };

/** Most recently deleted first. */
export async function listTrashedSessions(index: Index): Promise<TrashedSession[]> {
  const trashed = await index.listTrashed();
  return trashed.map((session) => ({
    ...session,
    bytes: statSync(session.trashPath, { throwIfNoEntry: false })?.size ?? 0,
  }));
}

export function toTrashedJson({ id, deletedAt, created, modified, ...session }: TrashedSession) {
  return {
    sessionId: id,
    ...session,
    deletedAt: deletedAt.toISOString(),
    ...(created && { created: created.toISOString() }),
    modified: modified.toISOString(),
  };
}
