/** Invented sessions with the titles that a person would give them, and how a computed title is judged. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { measureWidth } from "../../../bin/format/text.ts";
import { image, text } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";

interface Turn {
  user?: string;
  /** Whether the user's message has an image. */
  image?: boolean;
  assistant?: string;
  /** Files of calls of the assistant: `{ "name": "edit", "path": "src/tax.ts" }`. */
  tools?: { name: string; path: string }[];
  stop?: "error" | "aborted";
  /** A command that the user ran. */
  shell?: string;
  exit?: number;
}

export interface Sample {
  kind: string;
  /** For people who read the samples. */
  title: string;
  /** Words that the first columns of a right title contain; `a|b` is one of the two. */
  words: string[];
  /** What they don't contain. */
  junk: string[];
  turns: Turn[];
}

export function readSamples(set: "dev" | "held-out"): Sample[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${set}.json`), "utf8")) as Sample[];
}

export function toSession({ turns }: Sample, id: string): Session {
  const work = session({ id, cwd: "/home/me/project" });
  for (const turn of turns) {
    if (turn.user !== undefined) {
      work.user([...(turn.user === "" ? [] : [text(turn.user)]), ...(turn.image ? [image()] : [])]);
    } else if (turn.shell !== undefined) work.bash(turn.shell, "", { exitCode: turn.exit ?? 0 });
    else {
      for (const { name, path } of turn.tools ?? []) work.tool(name, { path, ...ARGUMENTS[name] }, "ok");
      work.assistant([text(turn.assistant ?? "")], { stopReason: turn.stop ?? "stop" });
    }
  }
  return work;
}

const ARGUMENTS: Record<string, Record<string, string> | undefined> = {
  edit: { oldText: "a", newText: "b" },
  write: { content: "a" },
};

const JUDGED_COLUMNS = 60;

/** What is wrong with a title; undefined if it is right. */
export function judge(title: string, { words, junk }: Pick<Sample, "words" | "junk">): string | undefined {
  let start = title;
  while (measureWidth(start) > JUDGED_COLUMNS) start = start.slice(0, -1);
  const has = (word: string) => start.toLowerCase().includes(word.toLowerCase());
  const missing = words.filter((word) => !word.split("|").some(has));
  const unwanted = [...junk, "<skill", "<file", "```", "(no messages)", "(no text)"].filter((word) =>
    start.includes(word),
  );
  if (missing.length > 0) return `lacks ${missing.join(", ")}`;
  return unwanted.length > 0 ? `has ${unwanted.join(", ")}` : undefined;
}
