import type { z } from "zod";
import type { Figures, Index, UsageOptions, UsageReport } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { dollars, percent, shortNumber } from "../format/numbers.ts";
import { counted, oneLine } from "../format/safe.ts";
import { titleOf } from "../format/titles.ts";
import type { Answer } from "./answer.ts";
import type { UsageAnswer } from "./answers.ts";
import { asManyAsFit } from "./as-many-as-fit.ts";
import type { Context } from "./context.ts";
import { sessionGiven } from "./place.ts";
import type { UsageQuestion } from "./questions.ts";
import { cutAt, lines, pathIn } from "./told.ts";

/** What is left for anything but the rows, in tokens. */
const AROUND = 250;

/** What was used and what it cost, in all and broken down. */
export async function usage(
  index: Index,
  { max_tokens, limit, time_zone, session, ...rest }: z.output<typeof UsageQuestion>,
  { asking, redactor }: Context,
): Promise<Answer<UsageAnswer>> {
  const narrowed = {
    ...rest,
    ...(time_zone !== undefined && { timeZone: time_zone }),
    ...(session !== undefined && { session: await sessionGiven(index, session, asking) }),
  };
  const { report, told } = await asManyAsFit(limit, max_tokens - AROUND, async (limit) => {
    const report = await index.usage({ ...narrowed, limit } as UsageOptions);
    return { report, told: report.rows.map((row) => rowOf(row, redactor)) };
  });
  const { by, timeZone, rowCount, unreadFiles, others, total } = report;
  const data: UsageAnswer = {
    by,
    timeZone,
    rowCount,
    unreadFiles,
    rows: told.map(({ data }) => data),
    ...(others && { others: figuresOf(others) }),
    total: figuresOf(total),
  };
  const text = lines(
    `In all: ${wordsOf(total)}.`,
    by.length > 0 && `By ${by.join(" and ")} (times in ${timeZone}):`,
    ...told.map(({ text }) => text),
    others && `others: ${wordsOf(others)}`,
    unreadFiles > 0 && `${counted(unreadFiles, "file")} of an older index are not in this: run pidex index.`,
  );
  return { text, data };
}

function rowOf(row: UsageReport["rows"][number], redactor: Redactor | undefined) {
  const { session } = row;
  const key = Object.fromEntries(
    Object.entries(row.key).map(([by, value]) => {
      // A session is asked for by its path, which is told as it is.
      return [by, typeof value !== "string" || by === "session" ? value : pathIn(value, redactor)];
    }),
  ) as typeof row.key;
  const title = session && cutAt(titleOf(redactor ? redactor.value(session) : session), 80);
  const data: UsageAnswer["rows"][number] = { key, ...(title && { title }), ...figuresOf(row) };
  const named = Object.values(key).map((value) => (value == null ? "(none)" : oneLine(value)));
  return { data, text: `${named.join(", ")}${title ? ` "${title}"` : ""}: ${wordsOf(row)}` };
}

function figuresOf({
  costUsd,
  tokens,
  cacheHitRate,
  messages,
  toolCalls,
  failedToolCalls,
}: Figures): UsageAnswer["total"] {
  return {
    costUsd,
    tokens,
    ...(cacheHitRate !== undefined && { cacheHitRate }),
    ...{ messages, toolCalls, failedToolCalls },
  };
}

function wordsOf({ costUsd, tokens, cacheHitRate, messages, toolCalls, failedToolCalls }: Figures): string {
  return [
    dollars(costUsd),
    `${shortNumber(tokens.total)} tokens (${shortNumber(tokens.input)} in, ${shortNumber(tokens.output)} out, ${shortNumber(tokens.cacheRead)} cached)`,
    cacheHitRate === undefined ? "" : `${percent(cacheHitRate)} from the cache`,
    counted(messages, "answer"),
    `${counted(toolCalls, "tool call")}${failedToolCalls > 0 ? `, ${failedToolCalls} failed` : ""}`,
  ]
    .filter(Boolean)
    .join("; ");
}
