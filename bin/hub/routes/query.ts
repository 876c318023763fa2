/** `POST /v1/query`: the queries of an index, on the sessions that the reader may see. */
import type { Context, Hono } from "hono";
import { compress } from "hono/compress";
import type { SentError } from "../../../library/host/messages.ts";
import { queryRequest } from "../../../library/hub/protocol.ts";
import { toActor } from "../../../library/hub/server/access.ts";
import { answerQuery, parseHubQuery, settleForQuery } from "../../../library/hub/server/answer-query.ts";
import type { HubSourceOptions } from "../../../library/hub/server/hub-source.ts";
import { ReadAudit } from "../../../library/hub/server/read-audit.ts";
import { findReader } from "../../../library/hub/server/reader.ts";
import { PidexError } from "../../../library/index.ts";
import { stringifyDeep } from "../../format/stringify-deep.ts";
import { toPublicError } from "../http/errors.ts";
import type { Hub, HubEnv } from "../http/hub.ts";

/** Approximate size of the parts in which a stream is sent, in UTF-16 units. */
const CHUNK_UNITS = 64 * 1024;
/** Items that took this many milliseconds are sent, even if they are few. */
const FLUSH_MS = 50;

/** @param limits other limits than the default ones, for tests */
export function addQueryRoutes(
  app: Hono<HubEnv>,
  hub: Hub,
  limits: Omit<HubSourceOptions, "signal"> = {},
): void {
  const { pool } = hub;
  const audit = new ReadAudit(pool);
  app.use("/v1/query", compress({ contentTypeFilter: /json/ }));
  app.post("/v1/query", async (context) => {
    const caller = context.get("caller");
    const query = parseHubQuery(await parseRequest(context));
    const reader = await findReader(pool, caller);
    await audit.record(toActor(caller), reader, query);
    const gone = new AbortController();
    const signal = AbortSignal.any([context.req.raw.signal, gone.signal]);
    await settleForQuery(pool, reader, query);
    const answer = answerQuery(pool, reader, query, { ...limits, signal });
    if (answer instanceof Promise) {
      const text = stringifyDeep({ value: await answer });
      return context.body(text, 200, { "content-type": "application/json" });
    }
    const first = await answer.next(); // fails before the status is sent
    const lines = toLines(first, answer, (error) => toPublicError(context, hub, error));
    return context.body(
      toByteStream(lines, () => gone.abort()),
      200,
      { "content-type": "application/x-ndjson" },
    );
  });
}

async function parseRequest(context: Context<HubEnv>): Promise<{ method: string; args: unknown[] }> {
  const parsed = queryRequest.safeParse(await context.req.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new PidexError(
    "BAD_OPTION",
    "the request is not a query",
    "Update pidex on this machine or on the hub.",
  );
}

/** Lines of JSON: each item, then the value or the error at the end. */
async function* toLines(
  first: IteratorResult<unknown>,
  rest: AsyncGenerator<unknown>,
  toSent: (error: unknown) => SentError,
): AsyncGenerator<string> {
  let text = "";
  let sent = performance.now();
  try {
    let next = first;
    for (; !next.done; next = await rest.next()) {
      text += `${stringifyDeep({ item: next.value })}\n`;
      if (text.length < CHUNK_UNITS && performance.now() - sent < FLUSH_MS) continue;
      yield text;
      text = "";
      sent = performance.now();
    }
    text += `${stringifyDeep({ value: next.value ?? null })}\n`;
  } catch (error) {
    text += `${JSON.stringify({ error: toSent(error) })}\n`;
  } finally {
    await rest.return(undefined);
  }
  yield text;
}

/** Bytes of the lines, no faster than they are read. @param onCancel called if the reader is gone before the end */
function toByteStream(lines: AsyncGenerator<string>, onCancel: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await lines.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        onCancel();
        await lines.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
