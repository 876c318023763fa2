import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Builders of session files, line by line, for tests with figures summed by hand. */
export type Fields = Record<string, unknown>;

/** A line after the header. */
export interface Line extends Fields {
  id?: string | number | null | undefined;
}

/** A time on 5 January 2026, in minutes after 09:00. */
export const at = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 5, 9) + minutes * 60_000).toISOString();

/** Usage of 13 tokens with a cost in dollars. */
export const usage = (cost: unknown): Fields => ({ input: 10, output: 3, cost });
const total = (usd: number): Fields => usage({ total: usd });

const message = (id: Line["id"], minutes: number, fields: Fields, entry: Fields = {}): Line => ({
  type: "message",
  id,
  timestamp: at(minutes),
  message: fields,
  ...entry,
});

/** A response with a cost in dollars. */
export function response(id: Line["id"], minutes: number, usd: number, text = `Answer ${id}`): Line {
  return responseWith(id, minutes, total(usd), text);
}

/** A response with the given usage object. */
export function responseWith(id: Line["id"], minutes: number, usage: unknown, text = `Answer ${id}`): Line {
  const content = [{ type: "text", text }];
  return message(id, minutes, { role: "assistant", provider: "anthropic", model: "opus", content, usage });
}

/** A user message. */
export function prompt(id: Line["id"], minutes: number, text = `Question ${id}`): Line {
  return message(id, minutes, { role: "user", content: text });
}

export function toolResult(id: Line["id"], minutes: number, fields: Fields): Line {
  return message(id, minutes, {
    role: "toolResult",
    toolCallId: "call",
    toolName: "subagent",
    content: [],
    ...fields,
  });
}

/** A line of another type, with a cost in dollars. */
export function costEntry(
  type: string,
  id: Line["id"],
  minutes: number,
  usd: number,
  fields: Fields = {},
): Line {
  return { type, id, timestamp: at(minutes), usage: total(usd), ...fields };
}

/** A version 3 session. */
export function v3(id: string, lines: readonly (Line | string)[], header: Fields = {}): string {
  return text({ type: "session", version: 3, id, timestamp: at(0), cwd: "/home/ada/shop", ...header }, lines);
}

/** A version 1 session: its lines have no ids. */
export function v1(id: string, lines: readonly Line[], header: Fields = {}): string {
  const bare = lines.map(({ id: _, ...line }) => line);
  return text({ type: "session", id, timestamp: at(0), cwd: "/home/ada/shop", ...header }, bare);
}

/** A version 1 session after pi's upgrade: other ids for each `seed`. */
export function upgraded(session: string, seed: string, header: Fields = {}): string {
  const [first, ...lines] = session
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Fields);
  return text({ ...first, version: 3, ...header }, linesWithIds(lines, seed));
}

function linesWithIds(lines: readonly Fields[], seed: string): Line[] {
  return lines.map(({ type, ...line }, n) => ({
    type,
    id: `${seed}${n}`,
    parentId: n === 0 ? null : `${seed}${n - 1}`,
    ...line,
  }));
}

/** A fork of a session: its lines, and further ones, under a new header. */
export function fork(
  session: string,
  id: string,
  parent: string,
  more: readonly Line[] = [],
  header: Fields = {},
): string {
  const [first, ...lines] = session
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Fields);
  const own = { ...first, id, timestamp: at(60), parentSession: parent, ...header };
  return text(own, [...(lines as Line[]), ...more]);
}

function text(header: Fields, lines: readonly (Line | Fields | string)[]): string {
  const all = [header, ...lines].map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  return all.map((line) => `${line}\n`).join("");
}

/** The name of a session file as pi creates it. */
export const fileName = (id: string, minutes = 0): string =>
  `${at(minutes).replace(/[:.]/g, "-")}_${id}.jsonl`;

/** Content of a path: text, or the path of the target in `link` or `symlink`. */
export type FileContent = string | { link: string } | { symlink: string };

export function createFile(root: string, name: string, file: FileContent): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  if (typeof file === "string") writeFileSync(path, file);
  else if ("link" in file) linkSync(join(root, file.link), path);
  else symlinkSync(join(root, file.symlink), path);
}
