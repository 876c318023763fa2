/** Changing sessions: what is appended to their files, and the trash. */
import { Hono } from "hono";
import { z } from "zod";
import { type Index, JSON_SCHEMA_VERSION, SessionManager } from "../../../../library/index.ts";
import { assertNoSubagentAtWork } from "../../../actions/at-work.ts";
import { assertInside } from "../../../actions/inside.ts";
import type { OrganisedAnswer, RestoredAnswer, TrashedAnswer } from "../../api/session-answers.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import { organise } from "../../hosts/organising.ts";
import { shortBody, wanted } from "../body.ts";
import type { Changes } from "../changes.ts";
import type { SessionChange } from "../session-change.ts";

/** A text on one line: what separates lines is a blank. */
const Line = z
  .string()
  .max(2000)
  .transform((text) => text.replace(/[\r\n]+/g, " ").trim());
const session = z.string().min(1).max(20_000);

const Renamed = z.strictObject({ session, name: Line });
const Labelled = z.strictObject({ session, entryId: z.union([z.string(), z.number()]), label: Line });
const Pinned = z.strictObject({ session, pinned: z.boolean() });
const Archived = z.strictObject({ session, archived: z.boolean() });
const Tagged = z.strictObject({
  session,
  tags: z.array(Line.refine((tag) => tag !== "", "is empty")).max(100),
});
const Trashed = z.strictObject({ session });
const Restorable = z.strictObject({ session });

export function actRoutes(index: Index, changes: Changes, hosts: Hosts): Hono {
  const routes = new Hono();
  routes.use("/*", async (context, next) =>
    context.req.method === "POST" ? shortBody(context, next) : next(),
  );

  /** What was written is known at once, here and in every page that is open. */
  const wrote = async (paths: readonly string[]) => {
    await index.syncFiles(paths);
    changes.tell({ kind: "synced", changed: true, paths: [...paths] });
  };
  const organised = async (
    asked: string,
    change: SessionChange,
  ): Promise<OrganisedAnswer & { schema: number }> => {
    const info = await index.find(asked);
    assertNoSubagentAtWork(info);
    const done = await organise(hosts, info, change, assertInside(index, info.path));
    if (done.lines.length > 0) await wrote([info.path]);
    return { schema: JSON_SCHEMA_VERSION, sessions: [done] };
  };

  routes.post("/rename", async (context) => {
    const { session, name } = await wanted(Renamed, context);
    return context.json(await organised(session, { kind: "name", name }));
  });

  routes.post("/label", async (context) => {
    const { session, label, entryId } = await wanted(Labelled, context);
    return context.json(await organised(session, { kind: "label", entryId: String(entryId), label }));
  });

  routes.post("/pin", async (context) => {
    const { session, pinned } = await wanted(Pinned, context);
    return context.json(await organised(session, { kind: "pin", pinned }));
  });

  routes.post("/archive", async (context) => {
    const { session, archived } = await wanted(Archived, context);
    return context.json(await organised(session, { kind: "archive", archived }));
  });

  routes.post("/tag", async (context) => {
    const { session, tags } = await wanted(Tagged, context);
    return context.json(await organised(session, { kind: "tags", tags: [...new Set(tags)] }));
  });

  routes.post("/trash", async (context) => {
    const { session } = await wanted(Trashed, context);
    const info = await index.find(session);
    assertNoSubagentAtWork(info);
    assertInside(index, info.path);
    const since = new Date();
    const gone = await SessionManager.delete(info.path);
    await wrote([info.path, ...gone.along.map(({ path }) => path)]);
    const isRestorable = await index.isRestorable({ ...gone, since });
    return context.json({
      schema: JSON_SCHEMA_VERSION,
      deleted: [{ sessionId: info.id, ...gone, isRestorable }],
    } satisfies TrashedAnswer & { schema: number });
  });

  routes.post("/restore", async (context) => {
    const { session: path } = await wanted(Restorable, context);
    const restored = await index.restore(path);
    await wrote([path, restored.path, ...restored.along]);
    return context.json({
      schema: JSON_SCHEMA_VERSION,
      restored: [restored],
    } satisfies RestoredAnswer & { schema: number });
  });

  return routes;
}
