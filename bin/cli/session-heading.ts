import type { SessionInfo } from "../../library/index.ts";
import { projectOf, shortId } from "../format/sessions.ts";
import { cut, width } from "../format/text.ts";
import { ago } from "../format/times.ts";
import { titleOf } from "../format/titles.ts";
import type { Io } from "./io.ts";

const GAP = "  ";
/** A title with less room than this gets a line of its own. */
const LEAST_TITLE = 20;

/** What stands above something of a session: title and whereabouts on one line, or on two where there is no room. */
export function sessionHeading(io: Io, session: SessionInfo): string[] {
  const about = `${projectOf(session)} · ${ago(session.modified)} · ${shortId(session.id)}`;
  const room = io.columns - width(about) - GAP.length;
  const narrow = room < LEAST_TITLE;
  const title = io.style("bold", cut(titleOf(session), narrow ? io.columns : room));
  const dimmed = io.style("dim", cut(about, io.columns));
  return narrow ? [title, dimmed] : [`${title}${GAP}${dimmed}`];
}
