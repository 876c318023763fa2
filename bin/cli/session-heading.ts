import type { SessionInfo } from "../../library/index.ts";
import { projectOf, shortId } from "../format/sessions.ts";
import { cut, width } from "../format/text.ts";
import { ago } from "../format/times.ts";
import { titleOf } from "../format/titles.ts";
import type { Io } from "./io.ts";

const GAP = "  ";
/** A title that would get fewer columns than this goes on its own line. */
const MIN_TITLE_WIDTH = 20;

/** The heading of a session: title, project, age and id on one line, or on two if the terminal is narrow. */
export function sessionHeading(io: Io, session: SessionInfo): string[] {
  const about = `${projectOf(session)} · ${ago(session.modified)} · ${shortId(session.id)}`;
  const room = io.columns - width(about) - GAP.length;
  const narrow = room < MIN_TITLE_WIDTH;
  const title = io.style("bold", cut(titleOf(session), narrow ? io.columns : room));
  const dimmed = io.style("dim", cut(about, io.columns));
  return narrow ? [title, dimmed] : [`${title}${GAP}${dimmed}`];
}
