/** Measures how many tokens an agent needs to find an answer. See bench/README.md. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepareRoot } from "../bench-root.ts";
import { answerQuestion, type Outcome, TOKEN_BUDGET } from "./answer-question.ts";
import { startDemoClient } from "./demo-root.ts";
import { benchmarkPaging, formatPagingReport, type PagingReport } from "./paging.ts";
import { QUESTIONS, type Question } from "./questions.ts";

/** Required number of answered questions, of twenty. */
export const MIN_ANSWERED = 18;

export interface AgentsReport {
  outcomes: Outcome[];
  /** Tokens of the tool descriptions and instructions, which a model reads once. */
  toolTokens: number;
}

/** Answers the questions from the sample sessions. */
export async function runQuestions(questions: readonly Question[]): Promise<AgentsReport> {
  const scratch = mkdtempSync(join(tmpdir(), "pidex-agents-"));
  try {
    const client = await startDemoClient(scratch);
    try {
      const outcomes: Outcome[] = [];
      for (const question of questions) outcomes.push(await answerQuestion(client, question));
      return { outcomes, toolTokens: await client.countToolTokens() };
    } finally {
      await client.close();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export function formatReport({ outcomes, toolTokens }: AgentsReport): string {
  const answered = outcomes.filter((outcome) => outcome.answered);
  const sorted = answered.map(({ tokens }) => tokens).sort((a, b) => a - b);
  return [
    "calls  tokens  answered  question",
    "-----  ------  --------  --------",
    ...outcomes.map(
      ({ calls, tokens, answered, question }) =>
        `${String(calls).padStart(5)}  ${String(tokens).padStart(6)}  ${(answered ? "yes" : "NO").padEnd(8)}  ${question}`,
    ),
    "",
    `${answered.length} of ${outcomes.length} answered within ${TOKEN_BUDGET} tokens; median ${sorted[Math.floor(sorted.length / 2)] ?? "none"}, max ${sorted.at(-1) ?? "none"}.`,
    `Tool descriptions and instructions: ${toolTokens} tokens, once per client.`,
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
  let paging: PagingReport | undefined;
  if (values.giant !== undefined) {
    mkdirSync(values.roots, { recursive: true });
    paging = await benchmarkPaging(prepareRoot(values.roots, "giant", values.giant));
    console.log(`\n${formatPagingReport(paging)}`);
  }
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ ...report, paging }, null, 2)}\n`);
  const answered = report.outcomes.filter((outcome) => outcome.answered).length;
  if (answered < MIN_ANSWERED || paging?.faults.length) process.exitCode = 1;
}

if (import.meta.main) await main();
