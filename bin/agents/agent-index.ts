/** Queries for agents, answered as text and as data. The MCP server and the pi extension both use this layer. */
import { z } from "zod";
import { type Index, openIndex, PidexError } from "../../library/index.ts";
import { loadRedactor } from "../../library/internal.ts";
import type { Answer, RequestOptions } from "./answer.ts";
import type {
  ListAnswer,
  ReadAnswer,
  SearchAnswer,
  TouchAnswer,
  TreeAnswer,
  UsageAnswer,
} from "./answers.ts";
import type { CurrentSession } from "./current-session.ts";
import { IndexSync } from "./index-sync.ts";
import { listSessions } from "./list.ts";
import { OutlineCache } from "./outline-cache.ts";
import {
  type ListInput,
  ListParams,
  type ReadInput,
  ReadParams,
  type SearchInput,
  SearchParams,
  type TouchInput,
  TouchParams,
  type TreeInput,
  TreeParams,
  type UsageInput,
  UsageParams,
} from "./params.ts";
import { findCallingSessions } from "./pending-calls.ts";
import { readSession } from "./read.ts";
import type { RequestContext } from "./request-context.ts";
import { searchSessions } from "./search.ts";
import { buildSessionTree } from "./session-tree.ts";
import { findTouchingSessions } from "./touching-sessions.ts";
import { summarizeUsage } from "./usage.ts";

export interface AgentIndexOptions {
  db?: string | undefined;
  roots?: string[] | undefined;
  /** The session that makes the requests. Its own entries are excluded from results. */
  currentSession?: CurrentSession;
  /** How long a request waits for the first index, in milliseconds. */
  timeoutMs?: number;
  onNotice?: (message: string) => void;
}

/**
 * The index, for agents. Every request syncs it first.
 *
 * All methods throw PidexErrors: `BAD_OPTION` for invalid parameters, and those of the library; the signal's reason when
 * aborted.
 */
export class AgentIndex {
  readonly index: Index;
  readonly #updater: IndexSync;
  readonly #outlines: OutlineCache;
  /** Requests in progress. */
  readonly #pending = new Set<Promise<unknown>>();
  #isClosed = false;
  /** The session that makes the requests. An agent may switch to another one while it runs. */
  currentSession: CurrentSession;

  constructor(index: Index, { roots, currentSession = {}, timeoutMs }: AgentIndexOptions) {
    this.index = index;
    this.currentSession = currentSession;
    this.#outlines = new OutlineCache(index);
    this.#updater = new IndexSync(index, roots, timeoutMs);
  }

  /** @throws as `openIndex` */
  static async open(options: AgentIndexOptions = {}): Promise<AgentIndex> {
    const { db, roots, onNotice } = options;
    const index = await openIndex({
      ...(db !== undefined && { db }),
      ...(roots && { roots }),
      ...(onNotice && { onNotice }),
    });
    return new AgentIndex(index, options);
  }

  /** Syncs the index. @returns a notice if it is still not up to date */
  sync(control: RequestOptions = {}): Promise<string | undefined> {
    return this.#updater.sync(control);
  }

  search(input: SearchInput, control: RequestOptions = {}): Promise<Answer<SearchAnswer>> {
    const params = parse(SearchParams, input);
    return this.#answer(params, control, (context) => searchSessions(this.index, params, context));
  }

  list(input: ListInput = {}, control: RequestOptions = {}): Promise<Answer<ListAnswer>> {
    const params = parse(ListParams, input);
    return this.#answer(params, control, (context) => listSessions(this.index, params, context));
  }

  read(input: ReadInput, control: RequestOptions = {}): Promise<Answer<ReadAnswer>> {
    const params = parse(ReadParams, input);
    return this.#answer(params, control, (context) => readSession(this.index, params, context));
  }

  tree(input: TreeInput, control: RequestOptions = {}): Promise<Answer<TreeAnswer>> {
    const params = parse(TreeParams, input);
    return this.#answer(params, control, (context) => buildSessionTree(this.index, params, context));
  }

  findTouchingSessions(input: TouchInput, control: RequestOptions = {}): Promise<Answer<TouchAnswer>> {
    const params = parse(TouchParams, input);
    return this.#answer(params, control, (context) => findTouchingSessions(this.index, params, context));
  }

  usage(input: UsageInput = {}, control: RequestOptions = {}): Promise<Answer<UsageAnswer>> {
    const params = parse(UsageParams, input);
    return this.#answer({ redact: true }, control, (context) => summarizeUsage(this.index, params, context));
  }

  /** Closes the index after the requests in progress have been answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#updater.close();
    await Promise.allSettled(this.#pending);
    await this.index.close();
  }

  async #answer<T extends { remark?: string | undefined }>(
    params: { redact: boolean },
    control: RequestOptions,
    answer: (context: RequestContext) => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    if (this.#isClosed)
      throw new PidexError(
        "DATABASE_UNAVAILABLE",
        "the index is closed",
        "Connect to the running server again.",
      );
    const pending = this.#syncAndAnswer(params, control, answer);
    this.#pending.add(pending);
    try {
      return await pending;
    } finally {
      this.#pending.delete(pending);
    }
  }

  async #syncAndAnswer<T extends { remark?: string | undefined }>(
    { redact }: { redact: boolean },
    control: RequestOptions,
    answer: (context: RequestContext) => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    const current = this.currentSession; // may change during the sync
    const [remark, redactor] = await Promise.all([
      this.#updater.sync(control),
      redact ? loadRedactor() : undefined,
    ]);
    const { tool } = control;
    const currentSession =
      tool === undefined
        ? current
        : { ...current, callingFiles: await findCallingSessions(this.index, tool) };
    const { text, data } = await answer({
      currentSession,
      redactor,
      options: control,
      outlineCache: this.#outlines,
    });
    control.signal?.throwIfAborted();
    return remark === undefined ? { text, data } : { text: `${remark}\n${text}`, data: { ...data, remark } };
  }
}

/** @throws PidexError `BAD_OPTION` */
function parse<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
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
