/**
 * How long a relaxed query takes in a process that has the index open, beside the same words asked of plain FTS5 with OR:
 * `npm run bench:relaxed -- --size 1GB`. The queries are the tuned half of the recall questions, and words of the generated
 * sessions with one of them mistyped.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openIndex, PidexError } from "../../../library/index.ts";
import { benchRoot } from "../../bench-root.ts";
import { median, p95 } from "../../distribution.ts";
import { Random } from "../../random.ts";
import { createVocabulary } from "../../vocabulary.ts";
import { PlainFts5 } from "./engines.ts";
import { recallQuestions } from "./questions.ts";

const SEED = 5;
const GENERATED = 100;

/** Queries that few sessions match in full. */
function queries(): string[] {
  const random = new Random(SEED);
  const { english } = createVocabulary(new Random(1));
  const asked = recallQuestions("tuned").flatMap(({ ask }) => (ask.includes("{") ? [] : [ask]));
  for (let n = 0; n < GENERATED; n++) {
    const frequent = n % 2 === 0 ? 400 : 3_000;
    const words = Array.from(
      { length: 3 + random.below(4) },
      () => english[random.below(frequent)] as string,
    );
    const [first = "", ...others] = words;
    asked.push([`${first.slice(0, 2)}${first.slice(3)}z`, ...others].join(" "));
  }
  return asked;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      size: { type: "string", default: "1GB" },
      roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
      plain: { type: "boolean", default: false },
    },
  });
  const root = benchRoot(values.roots, "mixed", values.size).path;
  mkdirSync(values.roots, { recursive: true });
  const folder = mkdtempSync(join(values.roots, "relaxed-"));
  try {
    await using index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
    await index.sync();
    const plain = values.plain ? new PlainFts5(join(folder, "or.db"), [root], "OR", "unicode61") : undefined;
    const relaxed: number[] = [];
    const strict: number[] = [];
    const or: number[] = [];
    const timed = async (work: () => Promise<unknown>) => {
      const began = performance.now();
      const answer = await work().catch((error) => {
        if (!(error instanceof PidexError)) throw error;
      });
      return { ms: performance.now() - began, answer };
    };
    for (const round of ["warm", "measured"]) {
      for (const query of queries()) {
        const { ms, answer } = await timed(() => index.search(query));
        const exact = await timed(() => index.search(query, { strict: true }));
        const other = plain && (await timed(() => plain.sessions(query, 10)));
        if (round === "warm" || !(answer as { closest?: unknown } | undefined)?.closest) continue;
        relaxed.push(ms);
        strict.push(exact.ms);
        if (other) or.push(other.ms);
      }
    }
    plain?.close();
    const row = (name: string, ms: readonly number[]) =>
      console.log(
        `${name.padEnd(24)} p50 ${median(ms).toFixed(1)} ms, p95 ${p95(ms).toFixed(1)} ms, slowest ${Math.max(...ms).toFixed(1)} ms`,
      );
    console.log(`${relaxed.length} of ${queries().length} queries were relaxed, over ${values.size}`);
    row("pidex, relaxed", relaxed);
    row("pidex --strict", strict);
    if (or.length > 0) row("plain FTS5, OR", or);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
