/** Routes that change sessions: metadata and the trash. */
import { Hono } from "hono";
import { z } from "zod";
import { type Index, SessionManager } from "../../../../library/index.ts";
import { JSON_SCHEMA_VERSION } from "../../../../library/internal.ts";
import { assertNoActiveSubagent } from "../../../actions/active-sessions.ts";
import { assertInsideRoots } from "../../../actions/inside-roots.ts";
import type { RestoredAnswer, SessionMetadataAnswer, TrashedAnswer } from "../../api/session-answers.ts";
import { changeMetadata } from "../../hosts/change-metadata.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import type { ChangeFeed } from "../change-feed.ts";
import { limitBody, parseBody } from "../params.ts";
import type { SessionChange } from "../session-change.ts";

/** Text on one line; line breaks become spaces. */
const Line = z
  .string()
  .max(2000)
  .transform((text) => text.replace(/[\r\n]+/g, " ").trim());
const session = z.string().min(1).max(20_000);

const RenameBody = z.strictObject({ session, name: Line });
const LabelBody = z.strictObject({ session, entryId: z.union([z.string(), z.number()]), label: Line });
const PinBody = z.strictObject({ session, pinned: z.boolean() });
const ArchiveBody = z.strictObject({ session, archived: z.boolean() });
const TagBody = z.strictObject({
  session,
  tags: z.array(Line.refine((tag) => tag !== "", "is empty")).max(100),
});
const SessionBody = z.strictObject({ session });

export function createActionRoutes(index: Index, changes: ChangeFeed, hosts: Hosts): Hono {
  const routes = new Hono();
  routes.use("/*", async (context, next) =>
    context.req.method === "POST" ? limitBody(context, next) : next(),
  );

  /** Updates the index and all open pages at once after a write. */
  const onWritten = async (paths: readonly string[]) => {
    await index.syncFiles(paths);
    changes.publish({ kind: "synced", changed: true, paths: [...paths] });
  };
  /** Adds a route that changes a session according to the body. */
  const route = <Body extends { session: string }>(
    path: string,
    schema: z.ZodType<Body>,
    toChange: (body: Body) => SessionChange,
  ) =>
    routes.post(path, async (context) => {
      const body = await parseBody(schema, context);
      const info = await index.find(body.session);
      assertNoActiveSubagent(info);
      const change = toChange(body);
      const result = await changeMetadata(hosts, info, change, assertInsideRoots(index, info.path));
      if (result.lines.length > 0) await onWritten([info.path]);
      return context.json({
        schema: JSON_SCHEMA_VERSION,
        sessions: [result],
      } satisfies Versioned<SessionMetadataAnswer>);
    });
  route("/rename", RenameBody, ({ name }) => ({ kind: "name", name }));
  route("/label", LabelBody, ({ entryId, label }) => ({ kind: "label", entryId: String(entryId), label }));
  route("/pin", PinBody, ({ pinned }) => ({ kind: "pin", pinned }));
  route("/archive", ArchiveBody, ({ archived }) => ({ kind: "archive", archived }));
  route("/tag", TagBody, ({ tags }) => ({ kind: "tags", tags: [...new Set(tags)] }));

  routes.post("/trash", async (context) => {
    const { session } = await parseBody(SessionBody, context);
    const info = await index.find(session);
    assertNoActiveSubagent(info);
    assertInsideRoots(index, info.path);
    const since = new Date();
    const deleted = await SessionManager.delete(info.path);
    await onWritten([info.path, ...deleted.along.map(({ path }) => path)]);
    const isRestorable = await index.isRestorable({ ...deleted, since });
    return context.json({
      schema: JSON_SCHEMA_VERSION,
      deleted: [{ sessionId: info.id, ...deleted, isRestorable }],
    } satisfies Versioned<TrashedAnswer>);
  });

  routes.post("/restore", async (context) => {
    const { session: path } = await parseBody(SessionBody, context);
    const restored = await index.restore(path);
    await onWritten([path, restored.path, ...restored.along]);
    return context.json({
      schema: JSON_SCHEMA_VERSION,
      restored: [restored],
    } satisfies Versioned<RestoredAnswer>);
  });

  return routes;
}

type Versioned<Answer> = Answer & { schema: number };
