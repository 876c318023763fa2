import { extname } from "node:path";
import { type Index, loadRedactor, PidexError, type PlacedEntry, type Redactor } from "../../index.ts";
import type { Exporting, Passage, Prompt } from "../web/export/exporting.ts";
import { counted, oneLine } from "../wording/safe.ts";
import { cut } from "../wording/text.ts";
import { titleOf } from "../wording/titles.ts";
import { intoFile } from "./into-file.ts";
import type { Io } from "./io.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";

type Format = "html" | "md" | "jsonl";

interface Flags extends CommonOptions {
  all?: boolean;
  leaf?: string;
  search?: string;
  format?: Format;
  output?: string;
  /** Whether pictures go along; in Markdown, where they are long lines of letters, only if it is said. */
  images?: "yes" | "no";
  /** Secrets are masked unless this is false. */
  redact?: boolean;
  force?: boolean;
}

/** `pidex export`: a session, a branch of it, or what a search finds, as something to keep or to send. */
export async function run(io: Io, [session]: string[], flags: Flags): Promise<number> {
  if ((session === undefined) === (flags.search === undefined)) {
    const hint = "pidex export @last, or pidex export --search 'failing test'.";
    throw new PidexError("BAD_OPTION", "say either which session to export, or what to search for", hint);
  }
  const { output } = flags;
  const redactor = flags.redact === false ? undefined : await loadRedactor();
  const work = (into: Io) => withIndex(into, flags, (index) => write(into, index, session, flags, redactor));
  if (output === undefined || output === "-") await work(io);
  else await intoFile(output, { io, replace: flags.force === true, redactor }, work);
  return EXIT.done;
}

async function write(
  io: Io,
  index: Index,
  session: string | undefined,
  flags: Flags,
  redactor: Redactor | undefined,
): Promise<void> {
  const format = formatOf(flags);
  const masked: Masking = (value) => (redactor ? redactor.value(value) : value);
  // What is read ahead for a table of contents is masked, but not counted again.
  const ahead = redactor && (await loadRedactor());
  const maskedAhead: Masking = (value) => (ahead ? ahead.value(value) : value);
  const what =
    flags.search === undefined
      ? await ofSession(index, session ?? "", flags, { masked, maskedAhead })
      : await ofSearch(index, flags.search, { masked });
  const exporting: Exporting = {
    ...what,
    images: flags.images === undefined ? format !== "md" : flags.images === "yes",
    isMasked: redactor !== undefined,
    out: (text) => io.out(text),
  };
  if (format === "html") await (await import("../web/export/html.tsx")).writeHtml(exporting);
  else if (format === "md") await (await import("../web/export/markdown.ts")).writeMarkdown(exporting);
  else await (await import("../web/export/jsonl.ts")).writeJsonl(exporting);
}

/** What makes of something that goes out what may go out. */
type Masking = <T>(value: T) => T;

function formatOf({ format, output }: Flags): Format {
  if (format !== undefined) return format;
  const ending = extname(output ?? "").toLowerCase();
  if (ending === ".md" || ending === ".markdown") return "md";
  return ending === ".jsonl" || ending === ".ndjson" ? "jsonl" : "html";
}

type What = Pick<Exporting, "title" | "about" | "passages" | "found">;

async function ofSession(
  index: Index,
  named: string,
  { leaf, all }: Flags,
  { masked, maskedAhead }: { masked: Masking; maskedAhead: Masking },
): Promise<What> {
  const info = await index.find(named);
  if (leaf !== undefined) await index.branch(info.path, leaf); // before anything is written
  const branch = leaf !== undefined ? { leaf } : all ? "all" : "current";
  const session = masked(info);
  const passage: Passage = {
    session,
    entries: () => each(index.entries(info.path, { branch }), masked),
    prompts: () => promptsOf(each(index.entries(info.path, { branch }), maskedAhead)),
  };
  const about =
    leaf !== undefined
      ? `The branch that ends at ${masked(leaf)}`
      : all
        ? "All entries"
        : "The current branch";
  return { title: titleOf(session), about, passages: only(passage) };
}

/** Sessions and hits of a search, at most. */
const MOST_SESSIONS = 50;
const MOST_HITS = 20;
/** Lines before and after a hit. */
const AROUND = 1;

async function ofSearch(index: Index, query: string, { masked }: { masked: Masking }): Promise<What> {
  const { sessions } = await index.search(query, { limit: MOST_SESSIONS, hits: MOST_HITS });
  async function* passages(): AsyncGenerator<Passage> {
    for (const { session, hits } of sessions) {
      const found = new Set(hits.map(({ line }) => line));
      const lines = new Set([...found].flatMap((line) => around(line)));
      const branch = { lines: [...lines] };
      yield {
        session: masked(session),
        entries: () => each(index.entries(session.path, { branch }), masked),
        hits: found,
      };
    }
  }
  const words = masked(query);
  return {
    title: `Search: ${words}`,
    about: `The best hits of ${counted(sessions.length, "session")}, with what stands around them`,
    passages: passages(),
    found: wordsOf(words),
  };
}

function around(line: number): number[] {
  return Array.from({ length: 2 * AROUND + 1 }, (_, n) => line - AROUND + n).filter((one) => one > 0);
}

/** The words of a query to mark: without its fields, what it does not want, and its signs. */
function wordsOf(query: string): string {
  return query
    .replace(/(?<!\S)-?\w+:(?:"[^"]*"|\S*)|(?<!\S)-\S+|\b(?:OR|AND|NOT)\b/g, " ")
    .replace(/["()*]/g, " ")
    .trim();
}

async function* each(entries: AsyncIterable<PlacedEntry>, masked: Masking): AsyncGenerator<PlacedEntry> {
  for await (const placed of entries) yield masked(placed);
}

async function* only(passage: Passage): AsyncGenerator<Passage> {
  yield passage;
}

/** A table of contents that is longer is none. */
const MOST_PROMPTS = 1000;

async function* promptsOf(entries: AsyncIterable<PlacedEntry>): AsyncGenerator<Prompt> {
  let count = 0;
  for await (const { entry, line } of entries) {
    if (entry.type !== "message" || entry.message?.role !== "user") continue;
    const { content } = entry.message;
    const text = Array.isArray(content)
      ? content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join(" ")
      : (content ?? "");
    const words = cut(oneLine(text.slice(0, 1000)), 120);
    if (words === "") continue;
    yield { line, words };
    if (++count >= MOST_PROMPTS) return;
  }
}
