import { closeSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import type { Hono } from "hono";
import { z } from "zod";
import {
  filesRequest,
  forgetRequest,
  forgetSessionsRequest,
  undoForgetRequest,
} from "../../../library/hub/protocol.ts";
import { getExclusions } from "../../../library/hub/server/exclusions.ts";
import { forgetSessions, undoForget } from "../../../library/hub/server/forget-sessions.ts";
import { listOwnFiles, openOwnFile } from "../../../library/hub/server/own-files.ts";
import { assertMayPush, forgetPaths, getFileStates } from "../../../library/hub/server/receive.ts";
import { readAppendHeader, receiveBytes } from "../../../library/hub/server/receive-bytes.ts";
import type { Hub, HubEnv } from "../http/hub.ts";
import { limitBody, readBody, readQuery } from "../http/params.ts";

/** A thousand paths. */
const MAX_PATHS_BYTES = 8 << 20;

const ownQuery = z.strictObject({ from: z.coerce.number().pipe(z.int().nonnegative()).default(0) });
const fileId = z.coerce.number().pipe(
  z
    .int()
    .positive()
    .max(2 ** 31 - 1),
);

/** Routes of session files: what machines send, and fetch again. */
export function addFileRoutes(app: Hono<HubEnv>, { pool, ingest, wakeSettler }: Hub): void {
  app.post("/v1/files", limitBody(MAX_PATHS_BYTES), async (context) => {
    const { paths } = await readBody(context, filesRequest);
    return context.json({ files: await getFileStates(pool, context.get("caller"), paths) });
  });

  app.get("/v1/exclusions", async (context) =>
    context.json(await getExclusions(pool, context.get("caller"))),
  );

  app.put("/v1/append", async (context) => {
    const caller = context.get("caller");
    const body = await readAppendHeader(context.req.raw.body ?? Readable.from([]));
    assertMayPush(caller, body.header.shelf);
    const { fd } = await receiveBytes(body);
    try {
      const { isConflict, ...state } = await ingest.append(caller, body.header, fd);
      if (!isConflict) wakeSettler();
      return context.json(state, isConflict ? 409 : 200);
    } finally {
      closeSync(fd);
    }
  });

  app.post("/v1/forget", limitBody(MAX_PATHS_BYTES), async (context) => {
    const { paths } = await readBody(context, forgetRequest);
    const forgotten = await forgetPaths(pool, context.get("caller"), paths);
    wakeSettler();
    return context.json({ forgotten });
  });

  app.post("/v1/forget-sessions", async (context) => {
    const { sessions, dryRun } = await readBody(context, forgetSessionsRequest);
    const files = await forgetSessions(pool, context.get("caller"), sessions, { dryRun });
    wakeSettler();
    return context.json({
      files: files.map(({ sessionId, path, cwd, title, messages, modified, project }) => ({
        ...{ sessionId, path, cwd, title, messages, modified },
        shelf: project === null ? "mine" : { project },
      })),
    });
  });

  app.post("/v1/undo-forget", async (context) => {
    const { sessions } = await readBody(context, undoForgetRequest);
    return context.json({ sessions: await undoForget(pool, context.get("caller"), sessions) });
  });

  app.get("/v1/own", (context) => {
    const files = listOwnFiles(pool, context.get("caller"));
    return streamed(context.req.raw.signal, Readable.from(toJsonLines(files)), "application/x-ndjson");
  });

  app.get("/v1/own/:id", async (context) => {
    const id = fileId.safeParse(context.req.param("id")).data ?? 0;
    const { from } = readQuery(context, ownQuery);
    const parts = Readable.from(await openOwnFile(pool, context.get("caller"), id, from), {
      objectMode: false,
    });
    const { signal } = context.req.raw;
    const accepts = context.req.header("accept") === "application/zstd";
    if (!accepts) return streamed(signal, parts, "application/octet-stream");
    const compress = createZstdCompress();
    void pipeline(parts, compress).catch(() => {}); // the error destroys the stream that is sent
    return streamed(signal, compress, "application/zstd");
  });
}

async function* toJsonLines(items: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

/** Sends a stream, until it ends or the client disconnects. A stream that fails cuts the connection. */
function streamed(signal: AbortSignal, stream: Readable, type: string): Response {
  signal.addEventListener("abort", () => stream.destroy(), { once: true });
  return new Response(Readable.toWeb(stream) as ReadableStream, { headers: { "Content-Type": type } });
}
