/** Everything an agent can ask, answered as text and as data: the one layer below the MCP server and pi's extension. */
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
  /** The session that asks; none of its own words are an answer. */
  asking?: AskingSession;
  /** How long a question waits for a first index, in milliseconds. */
  patienceMs?: number;
  onNotice?: (message: string) => void;
}

/**
 * The index, for agents. Every question brings it up to date first.
 *
 * All of them throw PidexErrors: `BAD_OPTION` for what is wrong with a question, and as the library does; the signal's reason
 * when aborted.
 */
export class AgentIndex {
  readonly index: Index;
  readonly #upToDate: UpToDate;
  readonly #outlines: Outlines;
  /** What is being answered. */
  readonly #answering = new Set<Promise<unknown>>();
  #isClosed = false;
  /** The session that asks. It may become another while an agent runs. */
  asking: AskingSession;

  constructor(index: Index, { roots, asking = {}, patienceMs }: AgentIndexOptions) {
    this.index = index;
    this.asking = asking;
    this.#outlines = new Outlines(index);
    this.#upToDate = new UpToDate(index, roots, patienceMs);
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

  /** Brings the index up to date, and tells why it is not. */
  sync(control: Control = {}): Promise<string | undefined> {
    return this.#upToDate.reach(control);
  }

  search(question: SearchAsked, control: Control = {}): Promise<Answer<SearchAnswer>> {
    const asked = checked(SearchQuestion, question);
    return this.#answer(asked, control, (context) => search(this.index, asked, context));
  }

  list(question: ListAsked = {}, control: Control = {}): Promise<Answer<ListAnswer>> {
    const asked = checked(ListQuestion, question);
    return this.#answer(asked, control, (context) => list(this.index, asked, context));
  }

  read(question: ReadAsked, control: Control = {}): Promise<Answer<ReadAnswer>> {
    const asked = checked(ReadQuestion, question);
    return this.#answer(asked, control, (context) => read(this.index, asked, context));
  }

  tree(question: TreeAsked, control: Control = {}): Promise<Answer<TreeAnswer>> {
    const asked = checked(TreeQuestion, question);
    return this.#answer(asked, control, (context) => sessionTree(this.index, asked, context));
  }

  touching(question: TouchAsked, control: Control = {}): Promise<Answer<TouchAnswer>> {
    const asked = checked(TouchQuestion, question);
    return this.#answer(asked, control, (context) => touching(this.index, asked, context));
  }

  usage(question: UsageAsked = {}, control: Control = {}): Promise<Answer<UsageAnswer>> {
    const asked = checked(UsageQuestion, question);
    return this.#answer({ redact: true }, control, (context) => usage(this.index, asked, context));
  }

  /** Ends when what was asked is answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#upToDate.close();
    await Promise.allSettled(this.#answering);
    await this.index.close();
  }

  async #answer<T extends { remark?: string | undefined }>(
    asked: { redact: boolean },
    control: Control,
    answer: (context: Context) => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    if (this.#isClosed)
      throw new PidexError("DATABASE_UNAVAILABLE", "the index was closed", "Ask the server that runs now.");
    const answering = this.#answered(asked, control, answer);
    this.#answering.add(answering);
    try {
      return await answering;
    } finally {
      this.#answering.delete(answering);
    }
  }

  async #answered<T extends { remark?: string | undefined }>(
    { redact }: { redact: boolean },
    control: Control,
    answer: (context: Context) => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    const known = this.asking; // it may be another one by then
    const [remark, redactor] = await Promise.all([
      this.#upToDate.reach(control),
      redact ? loadRedactor() : undefined,
    ]);
    const { tool } = control;
    const asking =
      tool === undefined ? known : { ...known, calling: await sessionsCalling(this.index, tool) };
    const { text, data } = await answer({ asking, redactor, control, outlines: this.#outlines });
    control.signal?.throwIfAborted();
    return remark === undefined ? { text, data } : { text: `${remark}\n${text}`, data: { ...data, remark } };
  }
}

/** @throws PidexError `BAD_OPTION` */
function checked<T extends z.ZodType>(schema: T, question: unknown): z.output<T> {
  const result = schema.safeParse(question);
  if (result.success) return result.data;
  throw new PidexError(
    "BAD_OPTION",
    z
      .prettifyError(result.error)
      .replace(/✖ /g, "")
      .replace(/\s*\n\s*/g, "; "),
    "Ask again with other arguments.",
    { cause: result.error },
  );
}
