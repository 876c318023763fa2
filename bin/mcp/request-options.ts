import type { ServerContext } from "@modelcontextprotocol/server";
import type { RequestOptions } from "../agents/answer.ts";

/** The options of a request: its abort signal, and progress notifications if the client wants them. */
export function toRequestOptions({ mcpReq }: ServerContext): RequestOptions {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return { signal: mcpReq.signal };
  let last = -1;
  return {
    signal: mcpReq.signal,
    onProgress({ done, total }) {
      if (done <= last) return; // the protocol requires progress to increase
      last = done;
      const message = `indexing sessions: ${done} of ${total} files`;
      const params = { progressToken: token, progress: done, total, message };
      // Fails once the client has disconnected.
      void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}
