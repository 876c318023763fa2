/** What the picker is asked to show, and what it is shown: all that goes between the screen and the thread that answers. */
import type { EntryId, Hit, SessionInfo } from "../../../library/index.ts";

/** `threaded` as pi's: forks below what they were forked from. `best` only means something where words are asked for. */
export const SORTS = ["threaded", "newest", "best"] as const;
export type Sort = (typeof SORTS)[number];

/** What is looked for. */
export interface View {
  /** As it stands in the line, finished or not. */
  query: string;
  /** The working directory whose sessions are wanted; undefined for all. */
  cwd: string | undefined;
  sort: Sort;
  /** Only sessions with a name. */
  named: boolean;
  archived: boolean;
  subagents: boolean;
}

/** A session as a list shows it, small enough to be handed over by thousands. */
export interface ShownSession
  extends Pick<
    SessionInfo,
    | "path"
    | "id"
    | "cwd"
    | "name"
    | "parentSessionPath"
    | "messageCount"
    | "labelCount"
    | "problemCount"
    | "pinned"
    | "archived"
    | "subagent"
    | "tags"
    | "model"
  > {
  /** The beginning of its first message. */
  firstMessage: string;
  /** Unix milliseconds. */
  modified: number;
}

export type ShownHit = Pick<
  Hit,
  "path" | "entryId" | "line" | "type" | "role" | "onCurrentBranch" | "alsoIn" | "part" | "snippet"
> & { together?: boolean };

/** A line of the list: a session, and its best hits where something was looked for. */
export interface Row {
  session: ShownSession;
  /** What stands before it in a thread: `├─ `. */
  stem: string;
  hits: ShownHit[];
  /** Hits in this session, shown or not. */
  hitCount: number;
}

/** What is found for a view, or as much of it as is known. */
export interface Results {
  view: View;
  rows: Row[];
  /** Sessions that meet the view; more than rows where not all were handed over. */
  total: number;
  /** Whether there may be more than `total`. */
  more: boolean;
  /** Where to go on: what `more` asks with. */
  next?: string | undefined;
  /** What should be known of it: words that stand nowhere, a pattern's progress. */
  remark?: string | undefined;
}

/** A session as far as a list shows it. */
export function shownSession(session: SessionInfo): ShownSession {
  const { path, id, cwd, name, parentSessionPath, messageCount, labelCount, problemCount, model } = session;
  const { pinned, archived, subagent, tags, firstMessage, modified } = session;
  return {
    path,
    id,
    cwd,
    name: name?.slice(0, MOST_TITLE),
    parentSessionPath,
    messageCount,
    labelCount,
    problemCount,
    pinned,
    archived,
    subagent,
    tags,
    model,
    firstMessage: firstMessage.slice(0, MOST_TITLE),
    modified: modified.getTime(),
  };
}

/** More of a title than any terminal shows. */
const MOST_TITLE = 400;

/** A place in a session that the preview begins at. */
export interface Place {
  line: number;
  entryId: EntryId | null;
}
