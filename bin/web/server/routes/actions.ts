/** Routes that change sessions: metadata and the trash. */
import type { Hono } from "hono";
import { z } from "zod";
import { type Index, SessionManager } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION as schema } from "../../../../library/internal.ts";
import { assertWritable } from "../../../actions/inside-roots.ts";
import { setCompressed } from "../../../actions/set-compressed.ts";
import { listTrashedSessions, toTrashedJson } from "../../../actions/trashed-sessions.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import type { ChangeFeed } from "../change-feed.ts";
import { onGet, onPost } from "../json-routes.ts";
import {
  applySessionChange,
  CHANGE_BODIES,
  CompressBody,
  SessionBody,
  type SessionChange,
} from "../session-change.ts";

/** Reading a file of this size takes as long as starting a thread. */
const LARGE_FILE_BYTES = 16 * 1024 * 1024;

export function addActionRoutes(api: Hono, index: Index, changes: ChangeFeed, { counting }: Hosts): void {
  /** Updates the index and all open pages at once after a write. */
  const onWritten = async (paths: readonly string[]) => {
    await index.syncFiles(paths);
    changes.publish({ kind: "synced", changed: true, paths: [...paths] });
  };

  for (const route of Object.keys(CHANGE_BODIES) as SessionChange["route"][])
    onPost(api, route, CHANGE_BODIES[route] as z.ZodType<object>, async (body) => {
      const change = { route, ...body } as SessionChange;
      const info = await index.find(change.session);
      const inside = assertWritable(index, info);
      // Large sessions are changed in an index host, so that other requests don't wait.
      const result =
        info.size < LARGE_FILE_BYTES
          ? applySessionChange(info.path, change, inside)
          : await counting.call("changeSession", info.path, change, inside);
      if (result.lines.length > 0) await onWritten([info.path]);
      return { schema, sessions: [result] };
    });

  onPost(api, "compress", CompressBody, async ({ session, compressed }) => {
    const info = await index.find(session);
    const inside = assertWritable(index, info);
    const sizes =
      info.size < LARGE_FILE_BYTES
        ? setCompressed(info.path, compressed, inside)
        : await counting.call("setCompressed", info.path, compressed, inside);
    if (sizes) await onWritten([info.path]);
    return { schema, compressed: sizes ? [{ sessionId: info.id, ...sizes }] : [] };
  });

  onPost(api, "trash", SessionBody, async ({ session }) => {
    const info = await index.find(session);
    assertWritable(index, info);
    const since = new Date();
    const gone = await SessionManager.delete(info.path);
    await onWritten([info.path, ...gone.along.map(({ path }) => path)]);
    const isRestorable = await index.isRestorable({ ...gone, since });
    return { schema, deleted: [{ sessionId: info.id, ...gone, isRestorable }] };
  });

  onGet(api, "trashed", z.object({}), async () => ({
    schema,
    trashed: (await listTrashedSessions(index)).map(toTrashedJson),
  }));

  onPost(api, "restore", SessionBody, async ({ session: path }) => {
    const restored = await index.restore(path);
    await onWritten([path, restored.path, ...restored.along]);
    return { schema, restored: [restored] };
  });
}
