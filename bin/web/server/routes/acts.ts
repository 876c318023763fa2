/** Changing sessions: what is appended to their files, and the trash. */
import { Hono } from "hono";
import { z } from "zod";
import { type Index, SessionManager } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../../library/internal.ts";
import { assertNoSubagentAtWork } from "../../../actions/at-work.ts";
import { assertInside } from "../../../actions/inside.ts";
import type { OrganisedAnswer, RestoredAnswer, TrashedAnswer } from "../../api/session-answers.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import { organise } from "../../hosts/organising.ts";
import { shortBody, wanted } from "../asked.ts";
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
const One = z.strictObject({ session });

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
  /** A route that changes a session as its body says. */
  const route = <Body extends { session: string }>(
    path: string,
    schema: z.ZodType<Body>,
    toChange: (body: Body) => SessionChange,
  ) =>
    routes.post(path, async (context) => {
      const body = await wanted(schema, context);
      const info = await index.find(body.session);
      assertNoSubagentAtWork(info);
      const change = toChange(body);
      const done = await organise(hosts, info, change, assertInside(index, info.path));
      if (done.lines.length > 0) await wrote([info.path]);
      return context.json({ schema: JSON_SCHEMA_VERSION, sessions: [done] } satisfies Told<OrganisedAnswer>);
    });
  route("/rename", Renamed, ({ name }) => ({ kind: "name", name }));
  route("/label", Labelled, ({ entryId, label }) => ({ kind: "label", entryId: String(entryId), label }));
  route("/pin", Pinned, ({ pinned }) => ({ kind: "pin", pinned }));
  route("/archive", Archived, ({ archived }) => ({ kind: "archive", archived }));
  route("/tag", Tagged, ({ tags }) => ({ kind: "tags", tags: [...new Set(tags)] }));

  routes.post("/trash", async (context) => {
    const { session } = await wanted(One, context);
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
    } satisfies Told<TrashedAnswer>);
  });

  routes.post("/restore", async (context) => {
    const { session: path } = await wanted(One, context);
    const restored = await index.restore(path);
    await wrote([path, restored.path, ...restored.along]);
    return context.json({
      schema: JSON_SCHEMA_VERSION,
      restored: [restored],
    } satisfies Told<RestoredAnswer>);
  });

  return routes;
}

type Told<Answer> = Answer & { schema: number };
