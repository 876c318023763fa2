import { closeSync, openSync, readFileSync, utimesSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "./random.ts";

const FLUSH_CHARACTERS = 1 << 18;

export interface Header {
  id: string;
  version: 1 | 2 | 3;
  /** Unix milliseconds: the header's timestamp and the earliest time of an entry. */
  start: number;
  cwd: string;
  parentSession?: string;
}

/** A user message: branches start at its parent, compactions keep the entries from it on. */
export interface TurnStart {
  id: string;
  parentId: string | null;
  line: number;
}

/** Totals of all files of a root. */
export interface Totals {
  files: number;
  bytes: number;
  entries: number;
  entriesByType: Record<string, number>;
  messagesByRole: Record<string, number>;
}

export type Fields = Record<string, unknown>;

/** Writes one session, with a small buffer: assigns ids and times, and tracks the leaf. */
export class SessionFile {
  readonly header: Header;
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly turns: TurnStart[] = [];
  bytes = 0;
  leaf: string | null = null;
  time: number;

  readonly #random: Random;
  readonly #totals: Totals;
  readonly #absolutePath: string;
  readonly #descriptor: number;
  readonly #ids = new Set<string>();
  #lines = 0;
  #pending = "";

  /** `folder` is relative to the root and must exist. */
  constructor(root: string, folder: string, header: Header, random: Random, totals: Totals) {
    const stamp = new Date(header.start).toISOString().replace(/[:.]/g, "-");
    this.header = header;
    this.path = `${folder}/${stamp}_${header.id}.jsonl`;
    this.time = header.start;
    this.#random = random;
    this.#totals = totals;
    this.#absolutePath = join(root, this.path);
    this.#descriptor = openSync(this.#absolutePath, "wx");
    totals.files++;
    this.#writeLine(JSON.stringify(toHeaderLine(header)));
  }

  /** Advances the time by about `seconds`, sometimes by much more. */
  advanceTime(seconds: number): void {
    this.time += Math.ceil(this.#random.logNormal(seconds * 1000, 0.8));
  }

  /** Writes an entry below the leaf and returns its id, as pi's SessionManager does. */
  append(type: string, fields: Fields): string {
    const id = this.#newId();
    const timestamp = new Date(this.time).toISOString();
    const tree = this.header.version === 1 ? {} : { id, parentId: this.leaf };
    this.#countEntry(id, type, fields);
    this.#writeLine(JSON.stringify({ type, ...tree, timestamp, ...fields }));
    return id;
  }

  appendMessage(role: string, fields: Fields): string {
    return this.append("message", { message: { role, ...fields, timestamp: this.time } });
  }

  /** Copies entries of another session byte for byte, as a fork does. */
  copyEntries(lines: readonly string[]): void {
    for (const line of lines) {
      const { type, id, parentId, ...fields } = JSON.parse(line) as Fields & {
        type: string;
        id: string;
        parentId: string | null;
      };
      this.leaf = parentId;
      this.#countEntry(id, type, fields);
      this.#writeLine(line);
    }
  }

  /** Sets the file's mtime to the time of its last entry. */
  close(): void {
    this.#flush();
    closeSync(this.#descriptor);
    utimesSync(this.#absolutePath, this.time / 1000, this.time / 1000);
  }

  #newId(): string {
    let id = this.#random.hex(8);
    while (this.#ids.has(id)) id = this.#random.hex(8);
    return id;
  }

  /** Counts an entry that is about to be written, and makes it the leaf. */
  #countEntry(id: string, type: string, fields: Fields): void {
    const { entriesByType, messagesByRole } = this.#totals;
    this.#totals.entries++;
    entriesByType[type] = (entriesByType[type] ?? 0) + 1;
    if (type === "message") {
      const { role } = fields.message as { role: string };
      messagesByRole[role] = (messagesByRole[role] ?? 0) + 1;
      if (role === "user") this.turns.push({ id, parentId: this.leaf, line: this.#lines });
    }
    this.#ids.add(id);
    this.leaf = id;
  }

  #writeLine(line: string): void {
    const size = Buffer.byteLength(line) + 1;
    this.bytes += size;
    this.#totals.bytes += size;
    this.#lines++;
    this.#pending += `${line}\n`;
    if (this.#pending.length > FLUSH_CHARACTERS) this.#flush();
  }

  #flush(): void {
    writeSync(this.#descriptor, this.#pending);
    this.#pending = "";
  }
}

/** Reads the entries that a fork copies: about `bytes` bytes from the first, up to the start of a turn. */
export function readForkPrefix(path: string, bytes: number): { lines: string[]; end: number } {
  const [, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  let copied = 0;
  const stop = lines.findIndex((line) => {
    if (copied > bytes && line.includes('"message":{"role":"user"')) return true;
    copied += line.length;
    return false;
  });
  const prefix = stop === -1 ? lines : lines.slice(0, stop);
  const { timestamp } = JSON.parse(prefix.at(-1) as string) as { timestamp: string };
  return { lines: prefix, end: Date.parse(timestamp) };
}

function toHeaderLine({ id, version, start, cwd, parentSession }: Header): Fields {
  const timestamp = new Date(start).toISOString();
  if (version === 1) return { type: "session", id, timestamp, cwd };
  return { type: "session", version, id, timestamp, cwd, ...(parentSession && { parentSession }) };
}
