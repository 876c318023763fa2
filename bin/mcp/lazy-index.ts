import type { ServerContext } from "@modelcontextprotocol/server";
import { AgentIndex, type AgentIndexOptions } from "../agents/agent-index.ts";
import type { Answer, RequestOptions } from "../agents/answer.ts";
import type { RequestData, RequestInput, RequestName } from "../agents/requests.ts";

/** Opens the index on first use. A failed open is retried on the next use. */
export class LazyIndex {
  readonly #options: AgentIndexOptions;
  #opening: Promise<AgentIndex> | undefined;

  constructor(options: AgentIndexOptions) {
    this.#options = options;
  }

  /**
   * Answers a client's request.
   *
   * @param tool the tool that the client called
   * @throws as `openIndex` and `AgentIndex.request`
   */
  async request<N extends RequestName>(
    name: N,
    input: RequestInput<N>,
    context: ServerContext,
    tool?: string,
  ): Promise<Answer<RequestData<N>>> {
    const index = await this.#open();
    return index.request(name, input, { ...toRequestOptions(context), tool });
  }

  #open(): Promise<AgentIndex> {
    const opening = this.#opening ?? AgentIndex.open(this.#options);
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  async close(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.close();
  }
}

/** The options of a request: its abort signal, and progress notifications if the client wants them. */
function toRequestOptions({ mcpReq }: ServerContext): RequestOptions {
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
