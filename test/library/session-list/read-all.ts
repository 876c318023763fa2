import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { SessionInfo } from "../../../query/answers.ts";

type Fields = Record<string, unknown>;

/** pi's fields of a listed session. */
export type Listed = Pick<
  SessionInfo,
  | "path"
  | "id"
  | "cwd"
  | "name"
  | "parentSessionPath"
  | "created"
  | "modified"
  | "messageCount"
  | "firstMessage"
  | "allMessagesText"
>;

/** Returns pi's fields of a listed session, including its text. */
export const piFields = (session: SessionInfo): Listed => ({
  path: session.path,
  id: session.id,
  cwd: session.cwd,
  name: session.name,
  parentSessionPath: session.parentSessionPath,
  created: session.created,
  modified: session.modified,
  messageCount: session.messageCount,
  firstMessage: session.firstMessage,
  allMessagesText: session.allMessagesText,
});

/** Lists the sessions directly in folders by reading every file completely, as a reference. */
export function readFolders(...folders: string[]): Listed[] {
  const paths = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(folder, name)),
  );
  return paths
    .filter((path) => statIfExists(path)?.isFile())
    .flatMap((path) => readSession(path) ?? [])
    .sort(
      (a, b) =>
        b.modified.getTime() - a.modified.getTime() ||
        basename(b.path).localeCompare(basename(a.path)) ||
        (a.path < b.path ? -1 : 1),
    );
}

/** The folders directly in a folder, including links to folders. */
export function foldersIn(folder: string): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statIfExists(path)?.isDirectory());
}

/** Undefined for a dangling link, or a link to itself. */
function statIfExists(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function readSession(path: string): Listed | undefined {
  const objects = readFileSync(path, "utf8")
    .replace(/^\ufeff/, "")
    .split("\n")
    .flatMap(parsed);
  const start = objects.findIndex(({ type }) => type !== "title");
  const header = objects[start];
  if (header?.type !== "session") return undefined;
  const entries = objects.slice(start + 1);
  const messages = entries.filter(({ type }) => type === "message");
  const talk = messages.filter((entry) => ["user", "assistant"].includes(messageOf(entry).role as string));
  const texts = talk.map((entry) => ({ role: messageOf(entry).role, text: textOf(messageOf(entry)) }));
  const times = talk.filter((entry) => isContent(messageOf(entry))).flatMap(timeOf);
  const newest = Math.max(0, ...times);
  const created = new Date(text(header.timestamp) ?? Number.NaN);
  const named = entries.findLast(({ type }) => type === "session_info");
  const title = objects.slice(0, Math.max(0, start)).at(-1)?.title ?? header.title;
  const name = named ? named.name : title;
  return {
    path,
    id: text(header.id) ?? "",
    cwd: text(header.cwd) ?? "",
    name: text(name)?.trim() || undefined,
    parentSessionPath: text(header.parentSession) ?? text(header.branchedFrom),
    created,
    modified: new Date(newest || created.getTime() || Number(statSync(path, { bigint: true }).mtimeMs)),
    messageCount: messages.length,
    firstMessage: texts.find(({ role, text }) => role === "user" && text)?.text ?? "(no messages)",
    allMessagesText: texts.flatMap(({ text }) => text || []).join(" "),
  };
}

function parsed(line: string): Fields[] {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? [value as Fields] : [];
  } catch {
    return [];
  }
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const messageOf = ({ message }: Fields): Fields => (message ?? {}) as Fields;

/** Content of another type counts as none. */
const isContent = (message: Fields): boolean =>
  "content" in message &&
  (message.content === null || typeof message.content === "string" || Array.isArray(message.content));

function textOf({ content }: Fields): string {
  if (!Array.isArray(content)) return text(content) ?? "";
  const blocks = content.filter((block) => (block as Fields | null)?.type === "text") as Fields[];
  return blocks.map((block) => text(block.text) ?? "").join(" ");
}

function timeOf(entry: Fields): number[] {
  const own = messageOf(entry).timestamp;
  if (typeof own === "number" && Math.abs(own) <= 8.64e15) return [Math.trunc(own)];
  const time = Date.parse(text(entry.timestamp) ?? "");
  return Number.isNaN(time) ? [] : [time];
}
