import type { Outline } from "../../library/index.ts";
import type { Answer, RequestContext } from "./answer.ts";
import type { ReadAnswer } from "./answers.ts";
import { findEntryPosition, findLinePosition, getBranchTo } from "./branch.ts";
import { assertUnchanged, resolveReference } from "./citations.ts";
import { PageReader } from "./page-reader.ts";
import type { Params, ReadParams } from "./params.ts";
import { decodeReadCursor } from "./read-cursor.ts";

/** Reads entries of a session, as many as fit, with cursors for the previous and the next page. */
export async function readSession(
  params: Params<typeof ReadParams>,
  context: RequestContext,
): Promise<Answer<ReadAnswer>> {
  const { place, session } = await resolveReference(params.session, context);
  await assertUnchanged(context.index, session.path, place);
  const cached = await context.outlines.get(session);
  const { outline } = cached;
  const cursor = params.cursor === undefined ? undefined : decodeReadCursor(params.cursor, session.path);
  const reader = new PageReader({ ...context, ...cached, session, params });
  if (outline.id.length === 0) return reader.toAnswer(getBranchTo(outline, undefined), [], {});
  if (cursor) return reader.continueFrom(cursor);
  if (params.view === "outline") return reader.readOutline(getBranchTo(outline, params.leaf), 0);
  const anchor = findAnchor(outline, params.entry === undefined ? place : { entry: params.entry });
  if (anchor !== undefined) return reader.readAround(anchor);
  const branch = getBranchTo(outline, params.leaf);
  if (params.from === "end") return reader.readBackward(branch, branch.positions.length - 1);
  return reader.readForward(branch, 0, 0);
}

/** The id wins over the line, because the file may have been rewritten since. The line decides if the id occurs twice. */
function findAnchor(
  outline: Outline,
  { entry, line }: { entry?: string | number; line?: number },
): number | undefined {
  if (entry === undefined) return line === undefined ? undefined : findLinePosition(outline, line);
  const cited = line === undefined ? -1 : outline.line.indexOf(line);
  return cited >= 0 && String(outline.id[cited]) === String(entry)
    ? cited
    : findEntryPosition(outline, entry);
}
