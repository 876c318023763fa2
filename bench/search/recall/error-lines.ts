/**
 * Measures how many error-like lines of real command output are found by pasting them: `npm run bench:errors -- --root FOLDER`.
 * Counts a line if a session with it, and if an entry with it, is among the first five.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  type Entry,
  extractEntryText,
  openIndex,
  PidexError,
  type SearchOptions,
} from "../../../library/index.ts";
import { Random } from "../../random.ts";

const SEED = 1;
const MIN_LENGTH = 16;
const MAX_LENGTH = 600;
const ERROR =
  /\b(?:error|errors|failed|failure|exception|cannot|can't|not found|denied|undefined|panic|panicked|fatal|traceback|refused|timed out|unexpected|invalid|missing|TS\d{4}|E[A-Z]{4,})\b|[✗✖×]/i;

/** A line, and the `path:line` of each entry with it in its output. */
interface ErrorLine {
  text: string;
  entries: Set<string>;
}

/** Collects the error-like lines in command output of the sessions of a root. */
export function collectErrorLines(root: string): ErrorLine[] {
  const lines = new Map<string, ErrorLine>();
  for (const path of findSessionFiles(root)) {
    const entries = readFileSync(path, "utf8").split("\n");
    for (const [n, json] of entries.entries()) {
      if (n === 0 || json === "") continue;
      const entry = parseEntry(json);
      if (!entry || !isCommandOutput(entry)) continue;
      for (const line of extractEntryText(entry).output.split("\n")) {
        const text = line.trim();
        if (text.length < MIN_LENGTH || text.length > MAX_LENGTH || !ERROR.test(text)) continue;
        const known = lines.get(text) ?? { text, entries: new Set() };
        known.entries.add(`${path}:${n + 1}`);
        lines.set(text, known);
      }
    }
  }
  return [...lines.values()];
}

function findSessionFiles(root: string): string[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((item) => item.isFile() && item.name.endsWith(".jsonl"))
    .map((item) => join(item.parentPath, item.name));
}

function parseEntry(json: string): Entry | undefined {
  try {
    return JSON.parse(json) as Entry;
  } catch {
    return undefined; // a torn line
  }
}

function isCommandOutput(entry: Entry): boolean {
  const message = entry.type === "message" ? entry.message : undefined;
  if (message?.role === "bashExecution") return true;
  return message?.role === "toolResult" && message.toolName === "bash";
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      root: { type: "string", multiple: true },
      lines: { type: "string", default: "1000" },
      verbose: { type: "boolean", default: false },
    },
  });
  const roots = (values.root ?? []).map((root) => resolve(root));
  if (roots.length === 0) throw new Error("Pass folders with sessions: --root FOLDER");
  const all = roots.flatMap(collectErrorLines);
  const random = new Random(SEED);
  const sample = all
    .map((line) => ({ line, order: random.float() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, Number(values.lines))
    .map(({ line }) => line);
  const folder = mkdtempSync(join(tmpdir(), "pidex-errors-"));
  try {
    await using index = await openIndex({ db: join(folder, "index.db"), roots });
    await index.sync();
    const counts = { strict: 0, session: 0, entry: 0 };
    for (const { text, entries } of sample) {
      const paths = new Set([...entries].map((location) => location.slice(0, location.lastIndexOf(":"))));
      const searchSessions = async (options: SearchOptions) => {
        try {
          const { sessions } = await index.search(text, { limit: 5, subagents: "yes", ...options });
          return sessions;
        } catch (error) {
          if (error instanceof PidexError) return [];
          throw error;
        }
      };
      const hasLine = ({ hits }: { hits: { path: string; alsoIn: { path: string }[] }[] }) =>
        hits.some((hit) => [hit, ...hit.alsoIn].some(({ path }) => paths.has(path)));
      if ((await searchSessions({ strict: true })).some(hasLine)) counts.strict++;
      const found = await searchSessions({ hits: 5 });
      if (found.some(hasLine)) counts.session++;
      const locations = found.flatMap(({ hits }) =>
        hits.flatMap((hit) => [hit, ...hit.alsoIn].map(({ path, line }) => `${path}:${line}`)),
      );
      if (locations.some((location) => entries.has(location))) counts.entry++;
      else if (values.verbose) console.log(text.slice(0, 200));
    }
    const share = (count: number) =>
      `${count} of ${sample.length} (${((100 * count) / sample.length).toFixed(1)} %)`;
    console.log(`${all.length} distinct error-like lines in command output; ${sample.length} pasted.`);
    console.log(`session with all words, --strict:   ${share(counts.strict)}`);
    console.log(`session among the first five:       ${share(counts.session)}`);
    console.log(`entry among their best five:        ${share(counts.entry)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
