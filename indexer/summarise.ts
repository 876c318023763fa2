import type { Entry, Message, ModelChangeEntry, SessionHeader } from "../src/session/entries.ts";
import { splitModelName } from "../src/session/model-name.ts";
import { organise } from "../src/session/organising.ts";
import { contentText } from "../src/session/text.ts";
import { toMilliseconds } from "../src/session/times.ts";
import type { SessionTable } from "../src/store/sqlite/schema.ts";
import { timeOf } from "./extract.ts";

/** What a session adds up to so far: its row, less what only the database knows, and its tags. */
export type Summary = Omit<SessionTable, "file_id" | "modified"> & { tags: string[] };

/** The summary of a session of which only the header was read. */
export function startSummary(header: SessionHeader): Summary {
  return {
    id: header.id ?? "",
    cwd: header.cwd ?? "",
    parent_session: header.parentSession ?? header.branchedFrom ?? null,
    internal: header.internal ? 1 : 0,
    created: timeOf(header.timestamp),
    last_message: null,
    name: header.title?.trim() || null,
    first_message: null,
    provider: typeof header.provider === "string" ? header.provider : null,
    model: typeof header.modelId === "string" ? header.modelId : null,
    entry_count: 0,
    message_count: 0,
    user_count: 0,
    assistant_count: 0,
    pinned: 0,
    archived: 0,
    tags: [],
  };
}

/**
 * Adds one entry to a summary, by the rules of pi's own session list: the latest name counts, even an empty
 * one; every `message` entry counts; only messages of the user and the assistant make a session newer.
 */
export function addEntry(summary: Summary, entry: Entry): void {
  summary.entry_count++;
  switch (entry.type) {
    case "session_info":
      summary.name = entry.name?.trim() || null;
      break;
    case "title_change":
      summary.name = entry.title?.trim() || null;
      break;
    case "model_change":
      addModel(summary, entry);
      break;
    case "custom":
      addOrganising(summary, entry);
      break;
    case "message":
      summary.message_count++;
      if (entry.message) addMessage(summary, entry.message, entry.timestamp);
      break;
    default:
      break;
  }
}

/** oh-my-pi has models for several roles: the default one is the session's. */
function addModel(summary: Summary, { provider, modelId, model, role = "default" }: ModelChangeEntry): void {
  if (role !== "default") return;
  const named = splitModelName(modelId ?? model, provider);
  summary.provider = named.provider ?? summary.provider;
  summary.model = named.model ?? summary.model;
}

function addOrganising(summary: Summary, entry: Entry): void {
  const organised = { pinned: summary.pinned === 1, archived: summary.archived === 1, tags: summary.tags };
  organise(organised, entry);
  summary.pinned = organised.pinned ? 1 : 0;
  summary.archived = organised.archived ? 1 : 0;
  summary.tags = organised.tags;
}

function addMessage(summary: Summary, message: Message, timestamp: string | undefined): void {
  if (message.role !== "user" && message.role !== "assistant") return;
  if (message.role === "user") {
    summary.user_count++;
    summary.first_message ??= contentText(message.content) || null;
  } else {
    summary.assistant_count++;
    const named = splitModelName(message.model, message.provider);
    summary.provider = named.provider ?? summary.provider;
    summary.model = named.model ?? summary.model;
  }
  if (!("content" in message)) return;
  const time = message.timestamp === undefined ? timeOf(timestamp) : toMilliseconds(message.timestamp);
  if (time != null) summary.last_message = Math.max(summary.last_message ?? 0, Math.trunc(time));
}

/** When a session was last active: pi's `SessionInfo.modified`, in Unix milliseconds. */
export function modifiedTime(summary: Summary, mtimeNs: string): number {
  return summary.last_message || summary.created || Number(BigInt(mtimeNs) / 1_000_000n);
}

/** How many of a session's assistant messages came from a model. */
export interface ModelMessages {
  provider: string;
  model: string;
  messages: number;
}

/** Counts the assistant messages of each model, so that a session's are written at once. */
export class ModelCount {
  readonly #counts = new Map<string, ModelMessages>();

  add(entry: Entry): void {
    if (entry.type !== "message" || entry.message?.role !== "assistant") return;
    const { provider = "", model = "" } = splitModelName(entry.message.model, entry.message.provider);
    const key = JSON.stringify([provider, model]);
    const count = this.#counts.get(key);
    if (count) count.messages++;
    else this.#counts.set(key, { provider, model, messages: 1 });
  }

  counts(): ModelMessages[] {
    return [...this.#counts.values()];
  }
}
