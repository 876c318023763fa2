import { getOrInsert } from "../src/get-or-insert.ts";
import type { Entry, Message, ModelChangeEntry, SessionHeader } from "../src/session/entries.ts";
import { splitModelName } from "../src/session/model-name.ts";
import { applyMetadata } from "../src/session/session-metadata.ts";
import { extractContentText } from "../src/session/text.ts";
import { toMilliseconds } from "../src/session/times.ts";
import {
  addMessage as addToTitle,
  createTitleState,
  isFinal,
  type TitleState,
  toTitle,
} from "../src/session/titles/session-title.ts";
import type { SessionTable } from "../src/store/schema.ts";
import { parseTime } from "./extract.ts";
import type { Touch } from "./touches.ts";

/** The summary of a session: its row, without the columns that depend on the file, and its tags. */
export type SessionSummaryRow = Omit<SessionTable, "file_id" | "modified"> & { tags: string[] };

/** Creates the summary of a session from its header. */
export function createSummary(header: SessionHeader): SessionSummaryRow {
  return {
    id: header.id ?? "",
    cwd: header.cwd ?? "",
    parent_session: header.parentSession ?? header.branchedFrom ?? null,
    internal: header.internal ? 1 : 0,
    created: parseTime(header.timestamp),
    last_message: null,
    name: header.title?.trim() || null,
    first_message: null,
    computed_title: null,
    title_state: null,
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
 * Adds an entry to a summary by the rules of pi's own session list: the latest name wins, even an empty one; every `message`
 * entry is counted; only messages of the user and the assistant change the modified time.
 *
 * @param findTouches the files that the entry touches; called only if the title depends on them
 */
export function addEntryToSummary(
  summary: SessionSummaryRow,
  entry: Entry,
  findTouches: () => readonly Touch[],
): void {
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
      addMetadata(summary, entry);
      break;
    case "message":
      summary.message_count++;
      if (!entry.message) break;
      addMessage(summary, entry.message, entry.timestamp);
      updateTitle(summary, entry.message, findTouches);
      break;
    default:
      break;
  }
}

/** oh-my-pi has a model for each of several roles: the session's model is that of the default role. */
function addModel(
  summary: SessionSummaryRow,
  { provider, modelId, model, role = "default" }: ModelChangeEntry,
): void {
  if (role !== "default") return;
  const named = splitModelName(modelId ?? model, provider);
  summary.provider = named.provider ?? summary.provider;
  summary.model = named.model ?? summary.model;
}

function addMetadata(summary: SessionSummaryRow, entry: Entry): void {
  const metadata = { pinned: summary.pinned === 1, archived: summary.archived === 1, tags: summary.tags };
  applyMetadata(metadata, entry);
  summary.pinned = metadata.pinned ? 1 : 0;
  summary.archived = metadata.archived ? 1 : 0;
  summary.tags = metadata.tags;
}

function addMessage(summary: SessionSummaryRow, message: Message, timestamp: string | undefined): void {
  if (message.role !== "user" && message.role !== "assistant") return;
  if (message.role === "user") {
    summary.user_count++;
    summary.first_message ??= extractContentText(message.content) || null;
  } else {
    summary.assistant_count++;
    const named = splitModelName(message.model, message.provider);
    summary.provider = named.provider ?? summary.provider;
    summary.model = named.model ?? summary.model;
  }
  if (!("content" in message)) return;
  const time = message.timestamp === undefined ? parseTime(timestamp) : toMilliseconds(message.timestamp);
  if (time != null) summary.last_message = Math.max(summary.last_message ?? 0, Math.trunc(time));
}

function updateTitle(
  summary: SessionSummaryRow,
  message: Message,
  findTouches: () => readonly Touch[],
): void {
  const { computed_title: title, title_state: saved, cwd } = summary;
  if (title !== null && saved === null) return;
  const state = saved === null ? createTitleState() : (JSON.parse(saved) as TitleState);
  addToTitle(state, message, () =>
    findTouches().flatMap(({ path, action }) => (CHANGES.has(action) ? [path] : [])),
  );
  summary.computed_title = toTitle(state, cwd) ?? null;
  summary.title_state = isFinal(state) ? null : JSON.stringify(state);
}

const CHANGES: ReadonlySet<Touch["action"]> = new Set(["write", "edit", "delete"]);

/** The time of the last activity in Unix milliseconds, the same as pi's `SessionInfo.modified`. */
export function getModifiedTime(summary: SessionSummaryRow, mtimeNs: string): number {
  return summary.last_message || summary.created || Number(BigInt(mtimeNs) / 1_000_000n);
}

/** Number of a session's assistant messages by one model. */
export interface ModelMessages {
  provider: string;
  model: string;
  messages: number;
}

/** Counts the assistant messages by model, so that they are written once per session. */
export class ModelCounter {
  readonly #counts = new Map<string, ModelMessages>();

  add(entry: Entry): void {
    if (entry.type !== "message" || entry.message?.role !== "assistant") return;
    const { provider = "", model = "" } = splitModelName(entry.message.model, entry.message.provider);
    const key = JSON.stringify([provider, model]);
    getOrInsert(this.#counts, key, () => ({ provider, model, messages: 0 })).messages++;
  }

  counts(): ModelMessages[] {
    return [...this.#counts.values()];
  }
}
