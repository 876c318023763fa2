import type { SessionInfo } from "../../library/index.ts";
import { getProjectName, shortId } from "../format/sessions.ts";
import { measureWidth, truncate } from "../format/text.ts";
import { formatRelativeTime } from "../format/times.ts";
import { getSessionTitle } from "../format/titles.ts";
import type { Io } from "./io.ts";

const GAP = "  ";
/** A title that would get fewer columns than this goes on its own line. */
const MIN_TITLE_WIDTH = 20;

/** The heading of a session: title, project, age and id on one line, or on two if the terminal is narrow. */
export function formatSessionHeading(io: Io, session: SessionInfo): string[] {
  const about = `${getProjectName(session)} · ${formatRelativeTime(session.modified)} · ${shortId(session.id)}`;
  const room = io.columns - measureWidth(about) - GAP.length;
  const narrow = room < MIN_TITLE_WIDTH;
  const title = io.style("bold", truncate(getSessionTitle(session), narrow ? io.columns : room));
  const dimmed = io.style("dim", truncate(about, io.columns));
  return narrow ? [title, dimmed] : [`${title}${GAP}${dimmed}`];
}
