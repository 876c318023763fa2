import { z } from "zod";
import type { SessionInfo, TreeEntry } from "../../query/answers.ts";
import type { SessionList, SessionSummary } from "../../query/list.ts";
import type { ListOptions } from "../../query/options.ts";
import { resolveDates } from "../../query/parse-moment.ts";
import { getSystemTimeZone } from "../../query/usage/periods.ts";
import { requireOptions } from "../../src/arguments.ts";
import { PidexError } from "../../src/errors.ts";
import { splitMachinePath } from "../../src/machine-path.ts";
import { expandPath } from "../../src/session/locations.ts";
import { buildTree, type TreeNode } from "../../src/session/tree.ts";
import { fromSentError, type SentError } from "../host/messages.ts";
import type { CallOptions } from "../query/call-options.ts";
import { HubClient, type HubClientOptions } from "./client.ts";
import type { HubIndex } from "./hub-index.ts";
import { resolvePattern, resolveQuery, resolveSessionPath } from "./resolve-query.ts";
import { requireSignIn } from "./sign-in.ts";

/** Sessions that are requested at once. */
const PAGE = 1_000;

const valueAnswer = z.object({ value: z.unknown() });
const streamLine = z.object({
  item: z.unknown().optional(),
  value: z.unknown().optional(),
  error: z
    .object({
      name: z.string(),
      message: z.string(),
      code: z.string().optional(),
      hint: z.string().optional(),
    })
    .optional(),
});

/** The queries that a hub answers in the same way as they are asked; the others are below. */
const CALLS = [
  ...["find", "search", "searchEntries", "complete", "files", "treeEntries", "outline", "forks", "branch"],
  ...["children", "labels", "problems", "entry", "context", "usage", "insights", "spend", "spending"],
  ...["stats"],
] as const;
const STREAMS = ["entries", "usageEvents"] as const;

/** Methods with a session as their first argument. */
const OF_SESSIONS = new Set<string>([
  ...["find", "treeEntries", "outline", "forks", "branch", "children", "labels", "problems"],
  ...["entry", "entries", "context", "spend"],
]);

/** @throws as `openHub` */
export function openRemoteIndex(signIn: HubClientOptions = requireSignIn()): HubIndex {
  return new RemoteIndex(new HubClient(signIn)) as unknown as HubIndex; // with the methods that are added below
}

/** A hub behind the methods of an index. Those of `CALLS` and `STREAMS` are added to its prototype. */
class RemoteIndex {
  readonly #client: HubClient;
  readonly #closing = new AbortController();

  constructor(client: HubClient) {
    this.#client = client;
  }

  get url(): string {
    return this.#client.url.replace(/\/$/, "");
  }

  list(cwd: string, options: Omit<ListOptions, "cwd"> & CallOptions = {}): Promise<SessionList> {
    return this.listAll({ ...options, cwd });
  }

  async listAll(options: ListOptions & CallOptions = {}): Promise<SessionList> {
    requireOptions(options);
    const { limit } = options as { limit?: unknown };
    if (limit !== undefined && !(typeof limit === "number" && limit > PAGE)) {
      return (await this.call("listAll", [options])) as SessionList;
    }
    const sessions: SessionInfo[] = [];
    const count = (limit as number | undefined) ?? Number.POSITIVE_INFINITY;
    let total: number | undefined;
    for (let { cursor } = options; ; ) {
      const page = { ...options, limit: Math.min(PAGE, count - sessions.length), cursor };
      const list = (await this.call("listAll", [page])) as SessionList;
      sessions.push(...list.sessions);
      total ??= list.total;
      cursor = list.next;
      if (cursor === undefined || sessions.length >= count) {
        return { sessions, total, ...(cursor !== undefined && { next: cursor }) };
      }
    }
  }

  async listSummaries(options: ListOptions & CallOptions = {}): Promise<SessionSummary[]> {
    const { sessions } = await this.listAll(options);
    return sessions.map(({ path, id, cwd, modified, messageCount, name, firstMessage, computedTitle }) => ({
      ...{ path, id, cwd, modified, messageCount, name, firstMessage, computedTitle },
    }));
  }

  /** All sessions: a list of threads needs their parents. */
  async listThreads(options: ListOptions & { limit: number } & CallOptions): Promise<SessionList> {
    return this.listAll({ ...options, limit: undefined });
  }

  /** Built here: JSON cannot represent trees of any depth. */
  async tree(session: string, options: CallOptions = {}): Promise<TreeNode<TreeEntry>[]> {
    return buildTree((await this.call("treeEntries", [session, options])) as TreeEntry[]);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the hub was closed"));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Calls a method of the hub. */
  async call(method: string, args: readonly unknown[]): Promise<unknown> {
    const { body, signal } = this.#toRequest(method, args);
    const options = { body, signal, isIdempotent: true };
    const { value } = await this.#client.json("POST", "v1/query", valueAnswer, options);
    return METHODS_WITH_SESSIONS.has(method) ? reviveSessions(value) : value;
  }

  async *stream(method: string, args: readonly unknown[]): AsyncGenerator<unknown, unknown> {
    const { body, signal: given } = this.#toRequest(method, args);
    const reading = new AbortController();
    const signal = AbortSignal.any([given, reading.signal]);
    const options = { body, signal, isIdempotent: true };
    try {
      for await (const line of this.#client.lines("POST", "v1/query", streamLine, options)) {
        if (line.error) throw fromSentError(line.error satisfies SentError);
        if (!("item" in line)) return line.value ?? undefined;
        given.throwIfAborted();
        yield line.item;
      }
    } finally {
      reading.abort(); // a reader that stops early needs no more
    }
    const hint = "Check the network and that the hub is running, then retry.";
    throw new PidexError("HUB_UNAVAILABLE", `${this.url} ended its answer before the last item`, hint);
  }

  #toRequest(method: string, args: readonly unknown[]): { body: object; signal: AbortSignal } {
    const sent = [...args];
    const closing = this.#closing.signal;
    let signal = closing;
    const options = sent.at(-1);
    if (typeof options === "object" && options !== null && !Array.isArray(options)) {
      requireOptions(options);
      const { signal: given, ...rest } = options as CallOptions & { cwd?: unknown; session?: unknown };
      if (given) signal = AbortSignal.any([given, closing]);
      Object.assign(rest, resolveDates(rest));
      if (typeof rest.cwd === "string" && rest.cwd !== "") rest.cwd = expandPath(rest.cwd);
      if (typeof rest.session === "string") rest.session = resolveSessionPath(rest.session);
      sent[sent.length - 1] = Object.keys(rest).length > 0 ? rest : undefined;
    }
    signal.throwIfAborted();
    if (method === "usage" || method === "insights")
      sent[0] = { timeZone: getSystemTimeZone(), ...(sent[0] as object | undefined) };
    if (typeof sent[0] === "string") {
      if (OF_SESSIONS.has(method)) sent[0] = resolveSessionPath(sent[0]);
      else if (method === "files") sent[0] = resolvePattern(sent[0]);
      else if (method === "search" || method === "searchEntries") sent[0] = resolveQuery(sent[0]);
    }
    while (sent.length > 0 && sent.at(-1) === undefined) sent.pop();
    return { body: { method, args: sent }, signal };
  }
}

for (const method of CALLS) {
  Object.defineProperty(RemoteIndex.prototype, method, {
    value(this: RemoteIndex, ...args: unknown[]) {
      return this.call(method, args);
    },
  });
}
for (const method of STREAMS) {
  Object.defineProperty(RemoteIndex.prototype, method, {
    value(this: RemoteIndex, ...args: unknown[]) {
      return this.stream(method, args);
    },
  });
}

/** Methods with sessions in their results, which have dates. Nothing else in these results has the properties of a session. */
const METHODS_WITH_SESSIONS = new Set<string>(["find", "listAll", "search", "files", "forks", "spend"]);

/** Restores what JSON does not carry: dates, and `allMessagesText`. */
function reviveSessions<T>(answer: T): T {
  if (typeof answer !== "object" || answer === null) return answer;
  if ("firstMessage" in answer && "created" in answer && "modified" in answer) {
    answer.created = toDate(answer.created);
    answer.modified = toDate(answer.modified);
    Object.defineProperty(answer, "allMessagesText", NO_TEXT);
  } else for (const each of Object.values(answer)) reviveSessions(each);
  return answer;
}

function toDate(text: unknown): Date {
  return new Date(typeof text === "string" ? text : Number.NaN);
}

const NO_TEXT = {
  get(this: SessionInfo): string {
    const { machine, path } = splitMachinePath(this.path) ?? { machine: "another machine", path: this.path };
    const hint = "Read its entries instead, or run pidex pull to get a copy.";
    throw new PidexError("FILE_UNREADABLE", `${path} is on ${machine}`, hint);
  },
  enumerable: false,
};
