import type { z } from "zod";
import type { Index, Outline } from "../../library/index.ts";
import type { Answer } from "./answer.ts";
import type { ReadAnswer } from "./answers.ts";
import { branchTo, positionOf, positionOnLine } from "./branch.ts";
import type { Context } from "./context.ts";
import { decodePageEnd } from "./page-end.ts";
import { findGiven } from "./place.ts";
import type { ReadQuestion } from "./questions.ts";
import { Reading } from "./reading.ts";

/** Reads entries of a session, as many as the answer may hold, with cursors for what comes before and behind. */
export async function read(
  index: Index,
  asked: z.output<typeof ReadQuestion>,
  { asking, redactor, control, outlines }: Context,
): Promise<Answer<ReadAnswer>> {
  const { place, session } = await findGiven(index, asked.session, asking);
  const held = await outlines.of(session);
  const { outline } = held;
  const end = asked.cursor === undefined ? undefined : decodePageEnd(asked.cursor, session.path);
  const reading = new Reading(index, session, held, { asked, redactor, control });
  if (outline.id.length === 0) return reading.answer(branchTo(outline, undefined), [], {});
  if (end) return reading.goOn(end);
  if (asked.view === "outline") return reading.outline(branchTo(outline, asked.leaf), 0);
  const anchor = anchorOf(
    outline,
    asked.entry ?? place.entry,
    asked.entry === undefined ? place.line : undefined,
  );
  if (anchor !== undefined) return reading.around(anchor);
  const branch = branchTo(outline, asked.leaf);
  if (asked.from === "end") return reading.back(branch, branch.positions.length - 1);
  return reading.on(branch, 0, 0);
}

/** An id tells better than a line does: a file may have been rewritten since it was cited. The line tells which, where an id stands twice. */
function anchorOf(
  outline: Outline,
  entry: string | number | undefined,
  line: number | undefined,
): number | undefined {
  if (entry !== undefined) {
    const cited = line === undefined ? -1 : outline.line.indexOf(line);
    return cited >= 0 && String(outline.id[cited]) === String(entry) ? cited : positionOf(outline, entry);
  }
  return line === undefined ? undefined : positionOnLine(outline, line);
}
