import { ENGINES, type EngineName, type Outcome } from "./evaluate.ts";
import { computeScores, type Scores } from "./metrics.ts";
import { KINDS } from "./questions.ts";

/** The scores of some of the questions, engine by engine. */
export interface Row {
  what: string;
  questions: number;
  scores: Record<EngineName, Scores>;
}

/** What pidex has to reach over all questions. */
export const MIN_SCORES: Scores = { recallAt5: 0.95, mrr: 0.85 };

/** A row for each kind, one for each corpus, and the total, which comes last. */
export function toRows(outcomes: readonly Outcome[]): Row[] {
  const kinds = KINDS.map((kind) =>
    row(
      kind,
      outcomes.filter((outcome) => outcome.kind === kind),
    ),
  );
  const corpora = corpusRows("all of", outcomes);
  return [...kinds.filter(({ questions }) => questions > 0), ...corpora, row("all", outcomes)];
}

/** A row for each corpus. There is no total, so that none of them is taken for what has to be reached. */
export function toHeldOutRows(outcomes: readonly Outcome[]): Row[] {
  return corpusRows("held out, of", outcomes);
}

function corpusRows(which: string, outcomes: readonly Outcome[]): Row[] {
  return (["planted", "real"] as const)
    .map((corpus) =>
      row(
        `${which} ${corpus} sessions`,
        outcomes.filter((outcome) => outcome.corpus === corpus),
      ),
    )
    .filter(({ questions }) => questions > 0);
}

function row(what: string, some: readonly Outcome[]): Row {
  const scores = (name: EngineName) => computeScores(some.map(({ ranks }) => ranks[name]));
  return { what, questions: some.length, scores: { pidex: scores("pidex"), FTS5: scores("FTS5") } };
}

/** Whether pidex reached over all what it has to. */
export function meetsMinimum({ scores: { pidex } }: Row): boolean {
  return pidex.recallAt5 >= MIN_SCORES.recallAt5 && pidex.mrr >= MIN_SCORES.mrr;
}

/** The one table: pidex and the baseline side by side. */
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

/** A line for each outcome: the ranks, the question, and what pidex had first instead. */
export function formatOutcomes(outcomes: readonly Outcome[]): string {
  const rank = (outcome: Outcome, name: EngineName) => String(outcome.ranks[name] ?? "none");
  const lines = outcomes.map((outcome) => [
    rank(outcome, "pidex"),
    rank(outcome, "FTS5"),
    outcome.kind,
    outcome.ask,
    outcome.ranks.pidex === 1 ? "" : (outcome.first.pidex ?? "nothing"),
  ]);
  return alignColumns([["pidex", "FTS5", "kind", "question", "first instead"], ...lines]);
}

/** Rows as columns of one width each. */
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
