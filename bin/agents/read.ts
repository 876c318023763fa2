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

/** Reads entries of a session, as many as fit, with cursors for the previous and the next page. */
export async function read(
  index: Index,
  params: z.output<typeof ReadQuestion>,
  { asking, redactor, control, outlines }: Context,
): Promise<Answer<ReadAnswer>> {
  const { place, session } = await findGiven(index, params.session, asking);
  const cached = await outlines.of(session);
  const { outline } = cached;
  const cursor = params.cursor === undefined ? undefined : decodePageEnd(params.cursor, session.path);
  const reader = new Reading(index, session, cached, { params, redactor, control });
  if (outline.id.length === 0) return reader.answer(branchTo(outline, undefined), [], {});
  if (cursor) return reader.goOn(cursor);
  if (params.view === "outline") return reader.outline(branchTo(outline, params.leaf), 0);
  const anchor = findAnchor(
    outline,
    params.entry ?? place.entry,
    params.entry === undefined ? place.line : undefined,
  );
  if (anchor !== undefined) return reader.around(anchor);
  const branch = branchTo(outline, params.leaf);
  if (params.from === "end") return reader.back(branch, branch.positions.length - 1);
  return reader.on(branch, 0, 0);
}

/** The ID wins over the line, because the file may have been rewritten since. The line decides if the ID occurs twice. */
function findAnchor(
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
