import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { Change } from "../../api/answers.ts";
import type { Changes } from "../changes.ts";

/** How often something is said to who hears of no change: a connection that is gone is noticed by that. */
const PING_EVERY_MS = 15_000;
/** More than this many changes not told yet are told as one that says nothing of which. */
const MOST_WAITING = 100;

/** `/api/changes`: what changes, as server-sent events. */
export function changeRoutes(changes: Changes): Hono {
  return new Hono().get("/changes", (context) =>
    streamSSE(context, async (stream) => {
      let waiting: Change[] = [];
      let wake = () => {};
      const end = changes.listen((change) => {
        // Only how far it is now matters of progress.
        waiting = change.kind === "progress" ? waiting.filter(({ kind }) => kind !== "progress") : waiting;
        waiting = waiting.length < MOST_WAITING ? [...waiting, change] : [{ kind: "synced", changed: true }];
        wake();
      });
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
      // Who reads nothing is told nothing more: it would be kept for them for ever.
      const ping = setInterval(() => {
        if (!isWriting) void write(": still here\n\n");
      }, PING_EVERY_MS);
      try {
        while (!stream.aborted) {
          const told = waiting;
          waiting = [];
          for (const change of told) await write(`data: ${JSON.stringify(change)}\n\n`);
          if (waiting.length > 0 || stream.aborted) continue;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        clearInterval(ping);
        end();
      }
    }),
  );
}
