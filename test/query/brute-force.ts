/** Reads session files with `JSON.parse` and no product code, as the reference for results. */
import { readFileSync, statSync } from "node:fs";

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const string = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export interface PlainEntry {
  line: number;
  entry: Fields;
}

/** The header and entries of a file; undefined if it is not a session. */
export function plainSession(path: string): { header: Fields; entries: PlainEntry[] } | undefined {
  const objects = readFileSync(path, "utf8")
    .replace(/^\ufeff/, "")
    .split("\n")
    .map((text, n) => ({ line: n + 1, entry: parse(text) }))
    .filter((each): each is PlainEntry => isFields(each.entry));
  const first = objects.findIndex(({ entry }) => entry.type !== "title");
  const header = objects[first]?.entry;
  if (header?.type !== "session") return undefined;
  const title = first > 0 && objects[first - 1]?.entry.title; // oh-my-pi stores the title there
  return {
    header: title ? { ...header, title } : header,
    entries: objects.slice(first + 1).filter(({ entry }) => entry.type !== "session"),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text blocks of a content, joined by spaces. */
export function plainText(content: unknown): string {
  if (!Array.isArray(content)) return string(content) ?? "";
  const texts = content.filter((block) => isFields(block) && block.type === "text");
  return texts.map(({ text }) => string(text) ?? "").join(" ");
}

/** Expected list fields of a session by pi's rules; a field with a wrong type counts as missing. */
export function plainSummary(path: string) {
  const session = plainSession(path);
  if (!session) return undefined;
  const { header, entries } = session;
  const messages = entries.filter(({ entry }) => entry.type === "message");
  const spoken = messages.filter(({ entry }) => ["user", "assistant"].includes(String(role(entry))));
  const created = Date.parse(string(header.timestamp) ?? "");
  const active = Math.max(0, ...spoken.map(({ entry }) => activity(entry)).filter(Number.isFinite));
  const texts = spoken.map(({ entry }) => ({ role: role(entry), text: plainText(messageOf(entry).content) }));
  const info = entries.filter(({ entry }) => entry.type === "session_info").at(-1)?.entry;
  const labels = new Map<unknown, string | undefined>();
  for (const { entry } of entries) {
    if (entry.type === "label" && entry.targetId != null) labels.set(entry.targetId, string(entry.label));
  }
  return {
    path,
    id: string(header.id) ?? "",
    cwd: string(header.cwd) ?? "",
    name: (info ? string(info.name) : string(header.title))?.trim() || undefined,
    parentSessionPath: string(header.parentSession) ?? string(header.branchedFrom),
    created: new Date(created),
    modified: new Date(active || created || Math.floor(statSync(path).mtimeMs)),
    messageCount: messages.length,
    firstMessage: (
      texts.find(({ role, text }) => role === "user" && text)?.text ?? "(no messages)"
    ).toWellFormed(),
    allMessagesText: texts.flatMap(({ text }) => text || []).join(" "),
    entryCount: entries.length,
    userMessageCount: texts.filter(({ role }) => role === "user").length,
    assistantMessageCount: texts.filter(({ role }) => role === "assistant").length,
    ...lastModel(header, entries),
    size: statSync(path).size,
    labelCount: [...labels.values()].filter(Boolean).length,
    ...plainMetadata(entries),
    internal: header.internal === true,
  };
}

/** The latest value of each field; values of other shapes are ignored. */
function plainMetadata(entries: PlainEntry[]) {
  const metadata = { pinned: false, archived: false, tags: [] as string[] };
  for (const { entry } of entries) {
    const { data } = entry;
    if (entry.type !== "custom" || entry.customType !== "pidex" || !isFields(data)) continue;
    if (typeof data.pinned === "boolean") metadata.pinned = data.pinned;
    if (typeof data.archived === "boolean") metadata.archived = data.archived;
    if (!Array.isArray(data.tags) || data.tags.some((tag) => typeof tag !== "string")) continue;
    metadata.tags = [...new Set(data.tags.map((tag: string) => tag.trim()))].filter(Boolean);
  }
  return metadata;
}

const messageOf = (entry: Fields): Fields => (isFields(entry.message) ? entry.message : {});
const role = (entry: Fields): unknown => messageOf(entry).role;

function activity(entry: Fields): number {
  const { timestamp, ...message } = messageOf(entry);
  if (!("content" in message)) return Number.NaN;
  if (typeof timestamp === "number" && Math.abs(timestamp) <= 8.64e15) return timestamp;
  return Date.parse(string(entry.timestamp) ?? "");
}

function lastModel(header: Fields, entries: PlainEntry[]) {
  let provider = string(header.provider);
  let model = string(header.modelId);
  for (const { entry } of entries) {
    const from = entry.type === "model_change" ? { ...entry, model: entry.modelId } : messageOf(entry);
    if (entry.type !== "model_change" && from.role !== "assistant") continue;
    provider = string(from.provider) ?? provider;
    model = string(from.model) ?? model;
  }
  return { provider, model };
}

/** All text by which a search must find an entry. */
export function plainSearchable(entry: Fields): string {
  const message = messageOf(entry);
  switch (entry.type) {
    case "compaction":
    case "branch_summary":
    case "session_summary":
      return string(entry.summary) ?? "";
    case "custom_message":
      return plainText(entry.content);
    case "label":
      return string(entry.label) ?? "";
    case "session_info":
      return string(entry.name) ?? "";
    case "usage":
      return string(entry.note) ?? "";
    case "message":
      break;
    default:
      return "";
  }
  switch (message.role) {
    case "user":
    case "custom":
    case "hookMessage":
      return plainText(message.content);
    case "toolResult":
      return [plainText(message.content), ...nestedCalls(message)].join("\n");
    case "branchSummary":
    case "compactionSummary":
      return string(message.summary) ?? "";
    case "bashExecution":
      return `${string(message.command) ?? ""}\n${string(message.output) ?? ""}`;
    case "assistant":
      return [plainText(message.content), string(message.errorMessage), ...thoughtsAndCalls(message)].join(
        "\n",
      );
    default:
      return "";
  }
}

function thoughtsAndCalls({ content }: Fields): string[] {
  if (!Array.isArray(content)) return [];
  return content.filter(isFields).flatMap((block) => {
    if (block.type === "thinking") return string(block.thinking) ?? [];
    return block.type === "toolCall" ? [string(block.name) ?? "", ...leaves(block.arguments)] : [];
  });
}

/** Text of a script's calls: errors first, then names and arguments; for omitted ones, what codemode shows completely. */
function nestedCalls({ nestedCalls: record, details }: Fields): string[] {
  const calls = isFields(record) ? (record.calls as Fields[]) : [];
  const listed = isFields(details) && Array.isArray(details.calls) ? details.calls.filter(isFields) : [];
  const argumentsOf = ({ id, arguments: args }: Fields): string[] => {
    if (args !== undefined) return leaves(args);
    const text = string(listed.find((one) => one.id === id)?.args) ?? "";
    return [...text.matchAll(/"\w+":("(?:[^"\\]|\\.)*")[,}]/g)].map(([, value = ""]) => JSON.parse(value));
  };
  return [
    ...calls.flatMap(({ error }) => string(error) ?? []),
    ...calls.flatMap((call) => [string(call.name) ?? "", ...argumentsOf(call)]),
  ];
}

function leaves(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]+/gu;
/** `parse|Session`, `HTTP|Server`. */
const PARTS = /(?<=[^A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

/** The plain words of a text, lowercase and without accents: whole words and parts of identifiers. */
export function plainWords(text: string): Set<string> {
  const bare = text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(CJK, " ");
  const words = (bare.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => /^[A-Za-z0-9]+$/.test(word));
  return new Set(words.flatMap((word) => [word, ...word.split(PARTS)]).map((word) => word.toLowerCase()));
}
