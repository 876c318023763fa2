/** Queries for agents, answered as text and as data. The MCP server and the pi extension both use this layer. */
import { z } from "zod";
import { type Index, openIndex, PidexError } from "../../library/index.ts";
import { loadRedactor } from "../../library/internal.ts";
import type { Answer, Control } from "./answer.ts";
import type {
  ListAnswer,
  ReadAnswer,
  SearchAnswer,
  TouchAnswer,
  TreeAnswer,
  UsageAnswer,
} from "./answers.ts";
import type { AskingSession } from "./asking.ts";
import type { Context } from "./context.ts";
import { list } from "./list.ts";
import { Outlines } from "./outlines.ts";
import { sessionsCalling } from "./pending-calls.ts";
import {
  type ListAsked,
  ListQuestion,
  type ReadAsked,
  ReadQuestion,
  type SearchAsked,
  SearchQuestion,
  type TouchAsked,
  TouchQuestion,
  type TreeAsked,
  TreeQuestion,
  type UsageAsked,
  UsageQuestion,
} from "./questions.ts";
import { read } from "./read.ts";
import { search } from "./search.ts";
import { sessionTree } from "./session-tree.ts";
import { touching } from "./touching.ts";
import { UpToDate } from "./up-to-date.ts";
import { usage } from "./usage.ts";

export interface AgentIndexOptions {
  db?: string | undefined;
  roots?: string[] | undefined;
  /** The session that makes the requests. Its own entries are excluded from results. */
  asking?: AskingSession;
  /** How long a request waits for the first index, in milliseconds. */
  patienceMs?: number;
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
  readonly #updater: UpToDate;
  readonly #outlines: Outlines;
  /** Requests in progress. */
  readonly #pending = new Set<Promise<unknown>>();
  #isClosed = false;
  /** The session that makes the requests. An agent may switch to another one while it runs. */
  asking: AskingSession;

  constructor(index: Index, { roots, asking = {}, patienceMs }: AgentIndexOptions) {
    this.index = index;
    this.asking = asking;
    this.#outlines = new Outlines(index);
    this.#updater = new UpToDate(index, roots, patienceMs);
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
  sync(control: Control = {}): Promise<string | undefined> {
    return this.#updater.reach(control);
  }

  search(input: SearchAsked, control: Control = {}): Promise<Answer<SearchAnswer>> {
    const params = parse(SearchQuestion, input);
    return this.#answer(params, control, (context) => search(this.index, params, context));
  }

  list(input: ListAsked = {}, control: Control = {}): Promise<Answer<ListAnswer>> {
    const params = parse(ListQuestion, input);
    return this.#answer(params, control, (context) => list(this.index, params, context));
  }

  read(input: ReadAsked, control: Control = {}): Promise<Answer<ReadAnswer>> {
    const params = parse(ReadQuestion, input);
    return this.#answer(params, control, (context) => read(this.index, params, context));
  }

  tree(input: TreeAsked, control: Control = {}): Promise<Answer<TreeAnswer>> {
    const params = parse(TreeQuestion, input);
    return this.#answer(params, control, (context) => sessionTree(this.index, params, context));
  }

  touching(input: TouchAsked, control: Control = {}): Promise<Answer<TouchAnswer>> {
    const params = parse(TouchQuestion, input);
    return this.#answer(params, control, (context) => touching(this.index, params, context));
  }

  usage(input: UsageAsked = {}, control: Control = {}): Promise<Answer<UsageAnswer>> {
    const params = parse(UsageQuestion, input);
    return this.#answer({ redact: true }, control, (context) => usage(this.index, params, context));
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
    control: Control,
    answer: (context: Context) => Promise<Answer<T>>,
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
    control: Control,
    answer: (context: Context) => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    const current = this.asking; // may change during the sync
    const [remark, redactor] = await Promise.all([
      this.#updater.reach(control),
      redact ? loadRedactor() : undefined,
    ]);
    const { tool } = control;
    const asking =
      tool === undefined ? current : { ...current, calling: await sessionsCalling(this.index, tool) };
    const { text, data } = await answer({ asking, redactor, control, outlines: this.#outlines });
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
