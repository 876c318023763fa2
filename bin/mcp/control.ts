import type { ServerContext } from "@modelcontextprotocol/server";
import type { Control } from "../agents/answer.ts";

/** How a request is called off, and who wants to know how far its index is. */
export function controlOf({ mcpReq }: ServerContext): Control {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return { signal: mcpReq.signal };
  let last = -1;
  return {
    signal: mcpReq.signal,
    onProgress({ done, total }) {
      if (done <= last) return; // the protocol wants each to be more than the one before
      last = done;
      const message = `indexing sessions: ${done} of ${total} files`;
      const params = { progressToken: token, progress: done, total, message };
      // Who does not listen any more needs no progress.
      void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}
