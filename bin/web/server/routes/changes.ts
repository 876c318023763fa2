import type { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import type { Change } from "../../api/answers.ts";
import type { ChangeFeed } from "../change-feed.ts";
import { NumberParam, parseQuery } from "../params.ts";

/** `age`: milliseconds since the page was loaded. An age and not a time, because the clocks of two machines differ. */
const ChangesQuery = z.strictObject({ age: NumberParam.default(0) });

/** Interval of pings, which detect closed connections. */
const PING_INTERVAL_MS = 15_000;
/** Beyond this many unsent changes, one general change replaces them. */
const MAX_QUEUED = 100;

/** `/api/changes`: changes as server-sent events. */
export function addChangeRoutes(api: Hono, changes: ChangeFeed): void {
  api.get("/changes", (context) => {
    const { age } = parseQuery(ChangesQuery, context.req.url);
    return streamSSE(context, async (stream) => {
      let queued: Change[] = [];
      let wake = () => {};
      const onChange = (change: Change) => {
        // Only the latest progress matters.
        queued = change.kind === "progress" ? queued.filter(({ kind }) => kind !== "progress") : queued;
        queued = queued.length < MAX_QUEUED ? [...queued, change] : [{ kind: "synced", changed: true }];
        wake();
      };
      const end = changes.subscribe(onChange, { loadedMsAgo: age });
      stream.onAbort(() => {
        end();
        wake();
      });
      let isWriting = false;
      const write = async (text: string) => {
        isWriting = true;
        await stream.write(text);
        isWriting = false;
      };
      // No pings while a write is pending: they would pile up for a client that doesn't read.
      const ping = setInterval(() => {
        if (!isWriting) void write(": still here\n\n");
      }, PING_INTERVAL_MS);
      try {
        while (!stream.aborted) {
          const batch = queued;
          queued = [];
          for (const change of batch) await write(`data: ${JSON.stringify(change)}\n\n`);
          if (queued.length > 0 || stream.aborted) continue;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        clearInterval(ping);
        end();
      }
    });
  });
}
