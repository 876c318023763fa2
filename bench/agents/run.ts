/** What an agent pays for an answer, in tokens: see bench/README.md. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchRoot } from "../bench-root.ts";
import { CountingClient } from "./counting-client.ts";
import { demoRoot } from "./demo-root.ts";
import { benchmarkPaging, formatGiantReport, type GiantReport } from "./giant.ts";
import { QUESTIONS, type Question } from "./questions.ts";
import { answerQuestion, type Outcome, TOKEN_BUDGET } from "./reach.ts";

/** Of twenty. */
export const MIN_ANSWERED = 18;

export interface AgentsReport {
  outcomes: Outcome[];
  /** What the descriptions of the tools take, once, before the first call. */
  toolTokens: number;
}

/** Asks all questions over the demo's sessions. */
export async function runQuestions(questions: readonly Question[]): Promise<AgentsReport> {
  const scratch = mkdtempSync(join(tmpdir(), "pidex-agents-"));
  try {
    const client = await CountingClient.start({ root: demoRoot(scratch), db: join(scratch, "index.db") });
    try {
      const outcomes: Outcome[] = [];
      for (const question of questions) outcomes.push(await answerQuestion(client, question));
      return { outcomes, toolTokens: await client.toolTokens() };
    } finally {
      await client.close();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export function formatReport({ outcomes, toolTokens }: AgentsReport): string {
  const reached = outcomes.filter((outcome) => outcome.reached);
  const sorted = reached.map(({ tokens }) => tokens).sort((a, b) => a - b);
  return [
    "calls  tokens  reached  question",
    "-----  ------  -------  --------",
    ...outcomes.map(
      ({ calls, tokens, reached, asked }) =>
        `${String(calls).padStart(5)}  ${String(tokens).padStart(6)}  ${(reached ? "yes" : "NO").padEnd(7)}  ${asked}`,
    ),
    "",
    `${reached.length} of ${outcomes.length} reached within ${TOKEN_BUDGET} tokens; median ${sorted[Math.floor(sorted.length / 2)] ?? "none"}, most ${sorted.at(-1) ?? "none"}.`,
    `The tools and how to use them take ${toolTokens} tokens, once.`,
  ].join("\n");
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      giant: { type: "string" },
      roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
      json: { type: "string" },
    },
  });
  const report = await runQuestions(QUESTIONS);
  console.log(formatReport(report));
  let giant: GiantReport | undefined;
  if (values.giant !== undefined) {
    mkdirSync(values.roots, { recursive: true });
    giant = await benchmarkPaging(benchRoot(values.roots, "giant", values.giant));
    console.log(`\n${formatGiantReport(giant)}`);
  }
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ ...report, giant }, null, 2)}\n`);
  const reached = report.outcomes.filter((outcome) => outcome.reached).length;
  if (reached < MIN_ANSWERED || giant?.faults.length) process.exitCode = 1;
}

if (import.meta.main) await main();
