import { ENGINES, type EngineName, type Outcome } from "./evaluate.ts";
import { computeScores, type Scores } from "./metrics.ts";
import { KINDS } from "./questions.ts";

/** Scores of some of the questions, by engine. */
export interface Row {
  what: string;
  questions: number;
  scores: Record<EngineName, Scores>;
}

/** Required scores of pidex over all questions. */
export const MIN_SCORES: Scores = { recallAt5: 0.95, mrr: 0.85 };

/** A row per kind, a row per corpus, and the total as the last row. */
export function toRows(outcomes: readonly Outcome[]): Row[] {
  const kinds = KINDS.map((kind) =>
    toRow(
      kind,
      outcomes.filter((outcome) => outcome.kind === kind),
    ),
  );
  const corpora = corpusRows("all of", outcomes);
  return [...kinds.filter(({ questions }) => questions > 0), ...corpora, toRow("all", outcomes)];
}

/** A row per corpus, without a total, which could be confused with the required scores. */
export function toHeldOutRows(outcomes: readonly Outcome[]): Row[] {
  return corpusRows("held out, of", outcomes);
}

function corpusRows(prefix: string, outcomes: readonly Outcome[]): Row[] {
  return (["planted", "real"] as const)
    .map((corpus) =>
      toRow(
        `${prefix} ${corpus} sessions`,
        outcomes.filter((outcome) => outcome.corpus === corpus),
      ),
    )
    .filter(({ questions }) => questions > 0);
}

function toRow(what: string, outcomes: readonly Outcome[]): Row {
  const scores = (name: EngineName) => computeScores(outcomes.map(({ ranks }) => ranks[name]));
  return { what, questions: outcomes.length, scores: { pidex: scores("pidex"), FTS5: scores("FTS5") } };
}

/** Whether pidex has the required scores in the row of all questions. */
export function meetsMinimum({ scores: { pidex } }: Row): boolean {
  return pidex.recallAt5 >= MIN_SCORES.recallAt5 && pidex.mrr >= MIN_SCORES.mrr;
}

/** Formats a table with the scores of both engines. */
export function formatScores(rows: readonly Row[]): string {
  const headings = [
    "kind",
    "questions",
    ...ENGINES.map((name) => `recall@5 ${name}`),
    ...ENGINES.map((name) => `MRR ${name}`),
  ];
  const cells = rows.map(({ what, questions, scores }) => [
    what,
    String(questions),
    ...ENGINES.map((name) => scores[name].recallAt5.toFixed(3)),
    ...ENGINES.map((name) => scores[name].mrr.toFixed(3)),
  ]);
  return alignColumns([headings, headings.map((heading) => "-".repeat(heading.length)), ...cells]);
}

/** Formats a line per outcome: ranks, question, and the first result of pidex unless it is right. */
export function formatOutcomes(outcomes: readonly Outcome[]): string {
  const rank = (outcome: Outcome, name: EngineName) => String(outcome.ranks[name] ?? "none");
  const lines = outcomes.map((outcome) => [
    rank(outcome, "pidex"),
    rank(outcome, "FTS5"),
    outcome.kind,
    outcome.query,
    outcome.ranks.pidex === 1 ? "" : (outcome.first.pidex ?? "nothing"),
  ]);
  return alignColumns([["pidex", "FTS5", "kind", "question", "first result"], ...lines]);
}

/** Pads the cells of each column to the same width. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
