/**
 * Writes the results of 2,000 queries, to compare two versions of pidex: `node bench/search/sample-results.ts --root FOLDER --db
 * FILE --out FILE`. The queries are drawn by seed from sessions: words, pairs, phrases, prefixes and fields.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Entry, extractEntryText, openIndex, PidexError } from "../../library/index.ts";
import { Random } from "../random.ts";
import { HELD_OUT_QUESTIONS } from "./held-out-questions.ts";
import { QUESTIONS } from "./questions.ts";

const QUERY_COUNT = 2_000;
const SEED = 3;
/** Number of session files that queries are drawn from. */
const FILE_COUNT = 150;

function sampleQueries(root: string): string[] {
  const random = new Random(SEED);
  const paths = readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((item) => item.isFile() && item.name.endsWith(".jsonl"))
    .map((item) => join(item.parentPath, item.name))
    .sort();
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  const texts = Array.from({ length: FILE_COUNT }, () => pick(paths)).flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .slice(1, 200)
      .flatMap((line) => (line === "" ? [] : Object.values(extractEntryText(JSON.parse(line) as Entry)))),
  );
  const words = texts
    .map((text) => text.match(/[\p{L}\p{N}_]{2,30}/gu) ?? [])
    .filter(({ length }) => length > 4);
  const queries = new Set<string>();
  while (queries.size < QUERY_COUNT) {
    const from = pick(words);
    const at = random.below(from.length - 3);
    const [a, b, c] = [from[at] as string, from[at + 1] as string, pick(from)];
    const shape = random.below(8);
    if (shape <= 2) queries.add(a);
    else if (shape === 3) queries.add(`${a} ${c}`);
    else if (shape === 4) queries.add(`"${a} ${b}"`);
    else if (shape === 5) queries.add(`${a.slice(0, 4)}*`);
    else if (shape === 6) queries.add(`${a} role:user`);
    else queries.add(`${a} ${b} ${c}`);
  }
  return [...QUESTIONS, ...HELD_OUT_QUESTIONS].map(({ query }) => query).concat([...queries]);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { root: { type: "string" }, db: { type: "string" }, out: { type: "string" } },
  });
  const root = resolve(values.root ?? ".");
  await using index = await openIndex({ db: resolve(values.db ?? "results.db"), roots: [root] });
  const results: Record<string, { sessions: string[]; fullMatches: number }> = {};
  for (const query of sampleQueries(root)) {
    try {
      const { sessions, ...result } = await index.search(query, { limit: 20, sync: false });
      const closestCount = (result as { closest?: { sessionCount: number } }).closest?.sessionCount ?? 0;
      results[query] = {
        sessions: sessions.map(({ session }) => session.path),
        fullMatches: result.sessionCount - closestCount,
      };
    } catch (error) {
      if (!(error instanceof PidexError)) throw error;
      results[query] = { sessions: [error.code], fullMatches: 0 };
    }
  }
  writeFileSync(values.out ?? "results.json", JSON.stringify(results, null, 1));
}

if (import.meta.main) await main();
