/** Queries for agents, answered as text and as data. The MCP server and the pi extension both use this layer. */
import { z } from "zod";
import { type HubIndex, type Index, openHub, openIndex, PidexError } from "../../library/index.ts";
import { loadRedactor } from "../../library/internal.ts";
import type { IndexLocation } from "../actions/index-location.ts";
import type { Answer, RequestOptions } from "./answer.ts";
import type { CurrentSession } from "./current-session.ts";
import { joinLines } from "./format-session.ts";
import { IndexSync } from "./index-sync.ts";
import { OutlineCache } from "./outline-cache.ts";
import { findCallingSessions } from "./pending-calls.ts";
import {
  type AgentRequest,
  REQUESTS,
  type RequestData,
  type RequestInput,
  type RequestName,
} from "./requests.ts";

export interface AgentIndexOptions extends Partial<IndexLocation> {
  /** The session that makes the requests. Its own entries are excluded from results. */
  currentSession?: CurrentSession;
  /** How long a request waits for the first index, in milliseconds. */
  timeoutMs?: number;
  onNotice?: (message: string) => void;
  /** Whether to read the sessions of the hub instead of those on this machine. */
  hub?: boolean | undefined;
}

/** The index, for agents. Every request syncs it first. A hub needs no sync: machines push to it. */
export class AgentIndex {
  readonly index: Index | HubIndex;
  readonly #updater: IndexSync | undefined;
  readonly #outlines: OutlineCache;
  /** Requests in progress. */
  readonly #pending = new Set<Promise<unknown>>();
  readonly #currentSession: CurrentSession;
  #isClosed = false;

  constructor(index: Index | HubIndex, { roots, currentSession = {}, timeoutMs }: AgentIndexOptions) {
    this.index = index;
    this.#currentSession = currentSession;
    this.#outlines = new OutlineCache(index);
    this.#updater = "sync" in index ? new IndexSync(index, roots, timeoutMs) : undefined;
  }

  /** @throws as `openIndex`, or as `openHub` */
  static async open(options: AgentIndexOptions = {}): Promise<AgentIndex> {
    const { db, roots, onNotice, hub } = options;
    return new AgentIndex(await (hub ? openHub() : openIndex({ db, roots, onNotice })), options);
  }

  /** Syncs the index. @returns a notice if it is still not up to date */
  async sync(options: RequestOptions = {}): Promise<string | undefined> {
    return this.#updater?.sync(options);
  }

  /**
   * @throws PidexError `BAD_OPTION` for invalid parameters, `DATABASE_UNAVAILABLE` after `close`, and those of the library; the signal's
   * reason when aborted
   */
  async request<N extends RequestName>(
    name: N,
    input: RequestInput<N>,
    options: RequestOptions = {},
  ): Promise<Answer<RequestData<N>>> {
    if (this.#isClosed)
      throw new PidexError(
        "DATABASE_UNAVAILABLE",
        "the index is closed",
        "Connect to the running server again.",
      );
    const pending = this.#answer(REQUESTS[name] as AgentRequest, input, options);
    this.#pending.add(pending);
    try {
      return (await pending) as Answer<RequestData<N>>;
    } finally {
      this.#pending.delete(pending);
    }
  }

  /** Closes the index after the requests in progress have been answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#updater?.close();
    await Promise.allSettled(this.#pending);
    await this.index.close();
  }

  async #answer(
    { params, run }: AgentRequest,
    input: unknown,
    options: RequestOptions,
  ): Promise<Answer<unknown>> {
    const { redact = true, include_current_session, ...rest } = parse(params, input);
    const { tool, signal, currentSession: { id, path } = this.#currentSession } = options;
    const [remark, redactor] = await Promise.all([
      this.#updater?.sync(options),
      redact ? loadRedactor() : undefined,
    ]);
    const calling = tool === undefined ? [] : await findCallingSessions(this.index, tool);
    const current = [id, path, ...calling].filter((session) => session !== undefined);
    const except = include_current_session || current.length === 0 ? undefined : current;
    const answer = await run(rest, { index: this.index, except, redactor, signal, outlines: this.#outlines });
    signal?.throwIfAborted();
    const data = answer.data as { next?: string };
    const next = data.next !== undefined && `\nMore: cursor ${data.next}`;
    return {
      text: joinLines(remark, answer.text, next),
      data: remark === undefined ? data : { ...data, remark },
    };
  }
}

/** @throws PidexError `BAD_OPTION` */
function parse(schema: z.ZodType, input: unknown): { redact?: boolean; include_current_session?: boolean } {
  const result = schema.safeParse(input);
  if (result.success) return result.data as object;
  throw new PidexError(
    "BAD_OPTION",
    z
      .prettifyError(result.error)
      .replace(/✖ /g, "")
      .replace(/\s*\n\s*/g, "; "),
    "Correct the arguments and try again.",
    { cause: result.error },
  );
}
