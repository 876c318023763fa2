/**
 * Writes what 2,000 queries find, to be compared between two versions of pidex: `node bench/search/answers.ts --root FOLDER
 * --db FILE --out FILE`. The queries are drawn by seed from what sessions hold: words, pairs, phrases, beginnings, fields.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Entry, extractEntryText, openIndex, PidexError } from "../../library/index.ts";
import { Random } from "../random.ts";
import { HELD_OUT_QUESTIONS } from "./held-out-questions.ts";
import { QUESTIONS } from "./questions.ts";

const QUERIES = 2_000;
const SEED = 3;
/** Session files that queries are drawn from. */
const FILES = 150;

function sampledQueries(root: string): string[] {
  const random = new Random(SEED);
  const paths = readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((item) => item.isFile() && item.name.endsWith(".jsonl"))
    .map((item) => join(item.parentPath, item.name))
    .sort();
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  const texts = Array.from({ length: FILES }, () => pick(paths)).flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .slice(1, 200)
      .flatMap((line) => (line === "" ? [] : Object.values(extractEntryText(JSON.parse(line) as Entry)))),
  );
  const words = texts
    .map((text) => text.match(/[\p{L}\p{N}_]{2,30}/gu) ?? [])
    .filter(({ length }) => length > 4);
  const queries = new Set<string>();
  while (queries.size < QUERIES) {
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
  return [...QUESTIONS, ...HELD_OUT_QUESTIONS].map(({ ask }) => ask).concat([...queries]);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { root: { type: "string" }, db: { type: "string" }, out: { type: "string" } },
  });
  const root = resolve(values.root ?? ".");
  await using index = await openIndex({ db: resolve(values.db ?? "answers.db"), roots: [root] });
  const answers: Record<string, { sessions: string[]; full: number }> = {};
  for (const query of sampledQueries(root)) {
    try {
      const { sessions, ...found } = await index.search(query, { limit: 20, sync: false });
      const inPart = (found as { closest?: { sessionCount: number } }).closest?.sessionCount ?? 0;
      answers[query] = {
        sessions: sessions.map(({ session }) => session.path),
        full: found.sessionCount - inPart,
      };
    } catch (error) {
      if (!(error instanceof PidexError)) throw error;
      answers[query] = { sessions: [error.code], full: 0 };
    }
  }
  writeFileSync(values.out ?? "answers.json", JSON.stringify(answers, null, 1));
}

if (import.meta.main) await main();
