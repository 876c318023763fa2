/** Runs pidex's command line in this process: `main` with an Io that records the output. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { styleText } from "node:util";
import { z } from "zod";
import type { Io } from "../../bin/cli/io.ts";
import { main } from "../../bin/cli/main.ts";

export const HOME = join(import.meta.dirname, "..", "..");
export const PI = join(HOME, "fixtures", "roots", "pi");
export const BROKEN = join(HOME, "fixtures", "roots", "broken");

export interface Written {
  exit: number;
  out: string;
  err: string;
}

export interface Surface {
  /** Width of the terminal. Undefined means output to a pipe. */
  columns?: number;
  colored?: boolean;
  /** The user's answer to a prompt, or what happens until it. */
  answer?: string | (() => string);
}

/** Runs a command line as the `pidex` program does. */
export async function pidex(
  argv: readonly string[],
  { columns, colored = false, answer }: Surface = {},
): Promise<Written> {
  const written = { out: "", err: "" };
  const io: Io = {
    out(text) {
      written.out += text;
      return undefined;
    },
    err(text) {
      written.err += text;
    },
    isTerminal: columns !== undefined,
    showsProgress: false,
    columns: columns ?? 80,
    ...(answer !== undefined && {
      async ask(question: string) {
        const text = typeof answer === "string" ? answer : answer();
        written.err += `${question}${text}\n`;
        return text;
      },
    }),
    style: (format, text) => (colored ? styleText(format, text, { validateStream: false }) : text),
  };
  const exit = await main(argv, io);
  return { exit, ...written };
}

/** Returns a function that runs commands with the same root and index. */
export function pidexAt(root: string, folder: string) {
  const flags = ["--root", root, "--db", join(folder, "index.db")];
  return (argv: readonly string[], surface?: Surface) => pidex([...argv, ...flags], surface);
}

export const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);
export const cellsOf = (text: string): string[][] => linesOf(text).map((line) => line.split("\t"));

// biome-ignore lint/suspicious/noExplicitAny: whatever a file holds
type Json = any;

/** A session file read with JSON.parse, without code of pidex. */
export interface PlainSession {
  path: string;
  header: Json;
  entries: Json[];
}

/** All session files below a folder. Only for roots with well-formed files. */
export function plainSessions(root: string): PlainSession[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => {
      const path = join(root, name);
      const [header, ...entries] = linesOf(readFileSync(path, "utf8")).map((line) => JSON.parse(line));
      return { path, header, entries };
    });
}

/** Whether pi's list would include the session: subagent sessions are in deeper folders. */
export const isOwn = (root: string, { path }: PlainSession): boolean =>
  path.slice(root.length + 1).split("/").length === 2;

/** Time of the last message, in Unix milliseconds. */
export function lastSaid({ entries, header }: PlainSession): number {
  const times = entries
    .filter(({ type, message }) => type === "message" && /^(user|assistant)$/.test(message.role))
    .map(({ timestamp, message }) => message.timestamp ?? Date.parse(timestamp));
  return Math.max(...(times.length > 0 ? times : [Date.parse(header.timestamp)]));
}

/** The same schema with unknown fields as errors, at any depth. Loose objects stay loose. */
export function strict(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject && !schema.def.catchall) {
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, strict(field as z.ZodType)]);
    return z.strictObject(Object.fromEntries(fields));
  }
  if (schema instanceof z.ZodArray) return z.array(strict(schema.element as z.ZodType));
  if (schema instanceof z.ZodOptional) return strict(schema.unwrap() as z.ZodType).optional();
  if (schema instanceof z.ZodNullable) return strict(schema.unwrap() as z.ZodType).nullable();
  return schema;
}
