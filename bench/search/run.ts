/** The search evaluation: recall@5 and MRR of pidex and FTS5 over questions with known answers. See bench/README.md. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openIndex } from "../../library/index.ts";
import { prepareRoot } from "../bench-root.ts";
import { Baseline } from "./baseline.ts";
import { evaluatePlanted, evaluateReal, type Outcome } from "./evaluate.ts";
import { HELD_OUT_QUESTIONS, HELD_OUT_REAL_QUESTIONS } from "./held-out-questions.ts";
import { openHubIndex } from "./hub-index.ts";
import { createPidexEngine } from "./pidex-engine.ts";
import { QUESTIONS } from "./questions.ts";
import { REAL_QUESTIONS, REAL_SESSIONS } from "./real-questions.ts";
import {
  formatOutcomes,
  formatScores,
  MIN_SCORES,
  meetsMinimum,
  type Row,
  toHeldOutRows,
  toRows,
} from "./report.ts";
import { plantStories } from "./stories.ts";

const SEED = 1;

export interface SearchReport {
  size: string;
  rows: Row[];
  outcomes: Outcome[];
  /** Scores of the held-out questions, which count in no other row. Their outcomes are not reported. */
  heldOut: Row[];
}

/** What to evaluate besides the generated sessions. */
interface EvaluationOptions {
  /** Folder of the real sessions. */
  real?: string | undefined;
  /** URL of an empty PostgreSQL database: pidex then searches there, as a hub, instead of in its local index. */
  database?: string | undefined;
}

/** Evaluates all questions on planted sessions among generated ones of a size, and on real ones if their folder is given. */
export async function evaluateSearch(
  roots: string,
  size: string,
  { real, database }: EvaluationOptions = {},
): Promise<SearchReport> {
  mkdirSync(roots, { recursive: true });
  const generated = prepareRoot(roots, "mixed", size).path;
  const scratch = mkdtempSync(join(roots, "search-"));
  try {
    const planted = join(scratch, "planted");
    mkdirSync(planted);
    const ids = plantStories(planted, SEED);
    const folders = [generated, planted, ...(real === undefined ? [] : [resolve(real)])];
    const withReal = real !== undefined && hasRealSessions(real);
    const { outcomes, heldOut } = await evaluateAll(scratch, folders, ids, { withReal, database });
    return { size, rows: toRows(outcomes), outcomes, heldOut: toHeldOutRows(heldOut) };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

async function evaluateAll(
  scratch: string,
  roots: string[],
  ids: ReadonlyMap<string, string>,
  { withReal, database }: { withReal: boolean; database: string | undefined },
): Promise<{ outcomes: Outcome[]; heldOut: Outcome[] }> {
  await using index = await openIndex({ db: join(scratch, "pidex.db"), roots });
  await index.sync();
  await using hub = database === undefined ? undefined : await openHubIndex(database, roots);
  const baseline = new Baseline(join(scratch, "fts5.db"), roots);
  try {
    const engines = { pidex: createPidexEngine(hub?.index ?? index), FTS5: baseline };
    const outcomes = await evaluatePlanted(engines, QUESTIONS, ids);
    const heldOut = await evaluatePlanted(engines, HELD_OUT_QUESTIONS, ids);
    if (withReal) {
      outcomes.push(...(await evaluateReal(engines, REAL_QUESTIONS)));
      heldOut.push(...(await evaluateReal(engines, HELD_OUT_REAL_QUESTIONS)));
    }
    return { outcomes, heldOut };
  } finally {
    baseline.close();
  }
}

/** Whether a folder contains the sessions of the real questions. */
function hasRealSessions(folder: string): boolean {
  const names = readdirSync(folder);
  return REAL_SESSIONS.every((id) => names.some((name) => name.endsWith(`_${id}.jsonl`)));
}

function formatNotes({ size, rows, outcomes }: SearchReport): string {
  const missed = outcomes.filter(({ ranks }) => ranks.pidex !== 1);
  const hasReal = outcomes.some(({ corpus }) => corpus === "real");
  const total = rows.at(-1) as Row;
  return [
    `Not first in pidex: ${missed.length} of ${outcomes.length}.`,
    ...(missed.length > 0 ? [formatOutcomes(missed), ""] : []),
    `Generated sessions: ${size}, seed ${SEED}.`,
    ...(hasReal
      ? []
      : [
          `Skipped: ${REAL_QUESTIONS.length + HELD_OUT_REAL_QUESTIONS.length} questions on real sessions; pass their folder with --real.`,
        ]),
    `Required over all: recall@5 ${MIN_SCORES.recallAt5}, MRR ${MIN_SCORES.mrr}: ${meetsMinimum(total) ? "met" : "NOT met"}.`,
  ].join("\n");
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      size: { type: "string", default: "20MB" },
      roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
      real: { type: "string" },
      database: { type: "string" },
      json: { type: "string" },
      verbose: { type: "boolean", default: false },
    },
  });
  const report = await evaluateSearch(values.roots, values.size, values);
  if (values.verbose) console.log(`${formatOutcomes(report.outcomes)}\n`);
  console.log(`${formatScores([...report.rows, ...report.heldOut])}\n\n${formatNotes(report)}`);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  if (!meetsMinimum(report.rows.at(-1) as Row)) process.exitCode = 1;
}

if (import.meta.main) await main();
