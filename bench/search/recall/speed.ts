/**
 * Measures relaxed queries with an open index, compared with the same words in FTS5 with OR: `npm run bench:relaxed -- --size
 * 1GB`. The queries are the tuned half of the recall questions, and words of the generated sessions of which one is misspelled.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openIndex, PidexError } from "../../../library/index.ts";
import { prepareRoot } from "../../bench-root.ts";
import { median, p95 } from "../../distribution.ts";
import { Random } from "../../random.ts";
import { createVocabulary } from "../../vocabulary.ts";
import { PlainFts5 } from "./engines.ts";
import { readQuestions } from "./questions.ts";

const SEED = 5;
const GENERATED_QUERIES = 100;

/** Queries that few sessions match in full. */
function createQueries(): string[] {
  const random = new Random(SEED);
  const { english } = createVocabulary(new Random(1));
  const queries = readQuestions("tuned").flatMap(({ query }) => (query.includes("{") ? [] : [query]));
  for (let n = 0; n < GENERATED_QUERIES; n++) {
    const rankLimit = n % 2 === 0 ? 400 : 3_000;
    const words = Array.from(
      { length: 3 + random.below(4) },
      () => english[random.below(rankLimit)] as string,
    );
    const [first = "", ...others] = words;
    queries.push([`${first.slice(0, 2)}${first.slice(3)}z`, ...others].join(" "));
  }
  return queries;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      size: { type: "string", default: "1GB" },
      roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
      plain: { type: "boolean", default: false },
    },
  });
  const root = prepareRoot(values.roots, "mixed", values.size).path;
  mkdirSync(values.roots, { recursive: true });
  const folder = mkdtempSync(join(values.roots, "relaxed-"));
  try {
    await using index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
    await index.sync();
    const plain = values.plain ? new PlainFts5(join(folder, "or.db"), [root], "OR", "unicode61") : undefined;
    const relaxedMs: number[] = [];
    const strictMs: number[] = [];
    const plainMs: number[] = [];
    const measureTime = async (work: () => Promise<unknown>) => {
      const startedAt = performance.now();
      const result = await work().catch((error) => {
        if (!(error instanceof PidexError)) throw error;
      });
      return { ms: performance.now() - startedAt, result };
    };
    for (const round of ["warm-up", "measured"]) {
      for (const query of createQueries()) {
        const { ms, result } = await measureTime(() => index.search(query));
        const strictRun = await measureTime(() => index.search(query, { strict: true }));
        const plainRun = plain && (await measureTime(() => plain.sessions(query, 10)));
        if (round === "warm-up" || !(result as { closest?: unknown } | undefined)?.closest) continue;
        relaxedMs.push(ms);
        strictMs.push(strictRun.ms);
        if (plainRun) plainMs.push(plainRun.ms);
      }
    }
    plain?.close();
    const row = (name: string, ms: readonly number[]) =>
      console.log(
        `${name.padEnd(24)} p50 ${median(ms).toFixed(1)} ms, p95 ${p95(ms).toFixed(1)} ms, max ${Math.max(...ms).toFixed(1)} ms`,
      );
    console.log(`${relaxedMs.length} of ${createQueries().length} queries were relaxed, over ${values.size}`);
    row("pidex, relaxed", relaxedMs);
    row("pidex --strict", strictMs);
    if (plainMs.length > 0) row("FTS5, OR", plainMs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
