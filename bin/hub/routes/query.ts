/** `POST /v1/query`: the queries of an index, on the sessions that the reader may see. */
import { type Context, Hono } from "hono";
import { compress } from "hono/compress";
import type { Pool } from "pg";
import { toSentError } from "../../../library/host/messages.ts";
import { queryRequest } from "../../../library/hub/protocol.ts";
import { answerQuery, type HubQuery, parseHubQuery } from "../../../library/hub/server/answer-query.ts";
import type { HubSourceOptions } from "../../../library/hub/server/hub-source.ts";
import type { Reader } from "../../../library/hub/server/reader.ts";
import { PidexError } from "../../../library/index.ts";
import { stringifyDeep } from "../../format/stringify-deep.ts";

export interface QueryRoutesOptions extends Omit<HubSourceOptions, "signal"> {
  pool: Pool;
  /** Who sent a request. Throws if it may not be answered. */
  getReader: (context: Context) => Promise<Reader>;
  /** Called before a query is answered, to record it. */
  onQuery?: (context: Context, query: HubQuery) => Promise<void>;
}

/** Approximate size of the parts in which a stream is sent, in UTF-16 units. */
const CHUNK_UNITS = 64 * 1024;
/** A pause of the stream after which what it has is sent, so that a slow search does not hold it back. */
const FLUSH_MS = 50;

export function createQueryRoutes({ pool, getReader, onQuery, ...limits }: QueryRoutesOptions): Hono {
  const routes = new Hono();
  routes.use(compress({ contentTypeFilter: /json/ }));
  routes.post("/v1/query", async (context) => {
    const reader = await getReader(context);
    const query = parseHubQuery(await parseRequest(context));
    await onQuery?.(context, query);
    const gone = new AbortController();
    const signal = AbortSignal.any([context.req.raw.signal, gone.signal]);
    const answer = answerQuery(pool, reader, query, { ...limits, signal });
    if (answer instanceof Promise) {
      context.header("content-type", "application/json");
      return context.body(stringifyDeep({ value: await answer }));
    }
    const first = await answer.next(); // fails before the status is sent
    context.header("content-type", "application/x-ndjson");
    return context.body(toByteStream(toLines(first, answer), () => gone.abort()));
  });
  return routes;
}

async function parseRequest(context: Context): Promise<{ method: string; args: unknown[] }> {
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
    text += `${JSON.stringify({ error: toPublicError(error) })}\n`;
  } finally {
    await rest.return(undefined);
  }
  yield text;
}

/** An error without what it says of the hub: only pidex's own errors are meant for the reader. */
function toPublicError(error: unknown): object {
  if (!(error instanceof PidexError)) {
    console.error(error);
    return { name: "Error", message: "the hub failed to read the rest" };
  }
  const { name, message, code, hint } = toSentError(error);
  return { name, message, code, hint };
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
