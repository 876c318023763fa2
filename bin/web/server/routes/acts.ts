/** Changing sessions: what is appended to their files, and the trash. */
import { Hono } from "hono";
import { z } from "zod";
import { type Index, JSON_SCHEMA_VERSION, SessionManager } from "../../../../index.ts";
import { assertNoSubagentAtWork } from "../../../doing/at-work.ts";
import { type Change, organised } from "../../../doing/organise.ts";
import type { OrganisedAnswer, TrashedAnswer } from "../../api/session-answers.ts";
import { shortBody, wanted } from "../body.ts";
import type { Changes } from "../changes.ts";

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

export function actRoutes(index: Index, changes: Changes): Hono {
  const routes = new Hono();
  routes.use("/*", async (context, next) =>
    context.req.method === "POST" ? shortBody(context, next) : next(),
  );

  /** What was written is known at once, here and in every page that is open. */
  const wrote = async (paths: readonly string[]) => {
    await index.syncFiles(paths);
    changes.tell({ kind: "synced", changed: true, paths: [...paths] });
  };
  const organise = async (asked: string, change: Change): Promise<OrganisedAnswer & { schema: number }> => {
    const info = await index.find(asked);
    assertNoSubagentAtWork(info);
    const done = organised(info, change);
    if (done.lines.length > 0) await wrote([info.path]);
    return { schema: JSON_SCHEMA_VERSION, sessions: [done] };
  };

  routes.post("/rename", async (context) => {
    const { session, name } = await wanted(Renamed, context);
    const change = (manager: SessionManager) =>
      (manager.getSessionName() ?? "") === name ? undefined : manager.setName(name);
    return context.json(await organise(session, { change }));
  });

  routes.post("/label", async (context) => {
    const { session, label, ...of } = await wanted(Labelled, context);
    const entryId = String(of.entryId);
    const change = (manager: SessionManager) => {
      const isSame = (manager.getLabel(entryId) ?? "") === label;
      return isSame ? undefined : manager.appendLabelChange(entryId, label === "" ? undefined : label);
    };
    return context.json(await organise(session, { change, entryId }));
  });

  routes.post("/pin", async (context) => {
    const { session, pinned } = await wanted(Pinned, context);
    const change = (manager: SessionManager) =>
      manager.getPinned() === pinned ? undefined : manager.setPinned(pinned);
    return context.json(await organise(session, { change }));
  });

  routes.post("/archive", async (context) => {
    const { session, archived } = await wanted(Archived, context);
    const change = (manager: SessionManager) =>
      manager.getArchived() === archived ? undefined : manager.setArchived(archived);
    return context.json(await organise(session, { change }));
  });

  routes.post("/tag", async (context) => {
    const { session, tags } = await wanted(Tagged, context);
    const all = [...new Set(tags)];
    const change = (manager: SessionManager) =>
      JSON.stringify(all) === JSON.stringify(manager.getTags()) ? undefined : manager.setTags(all);
    return context.json(await organise(session, { change }));
  });

  routes.post("/trash", async (context) => {
    const { session } = await wanted(Trashed, context);
    const info = await index.find(session);
    assertNoSubagentAtWork(info);
    const gone = await SessionManager.delete(info.path);
    await wrote([info.path, ...gone.along.map(({ path }) => path)]);
    return context.json({
      schema: JSON_SCHEMA_VERSION,
      deleted: [{ sessionId: info.id, ...gone }],
    } satisfies TrashedAnswer & { schema: number });
  });

  return routes;
}
