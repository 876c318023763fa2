/** What the list shows instead of sessions, or above those of the query before: why, and what to do. */
import { toOneLine } from "../../format/safe.ts";
import { wrap } from "../../format/text.ts";
import type { State } from "../model/state.ts";
import { drawLine, type Pane, type StyledSpan } from "./line.ts";
import { shortenPath } from "./paths.ts";

const INDENT = "  ";
/** Maximum number of folders that are listed. */
const MAX_FOLDERS = 8;

/** Draws the error of a query that failed; the list below it has the results of the query before. */
export function drawFailure({ failure, results }: State, pane: Pane): string[] {
  if (failure === undefined) return [];
  return [
    ...failure.split("\n").flatMap((line, n) => drawText(line, n === 0 ? "red" : "dim", pane)),
    ...(results.rows.length === 0 ? [] : [...drawText("", "dim", pane), ...drawText(BEFORE, "dim", pane)]),
  ];
}

const BEFORE = "Results of the query before:";

/**
 * Says why the list is empty, and how to find more.
 *
 * @param wider hints with keys that widen the search
 */
export function drawEmptyList(state: State, pane: Pane, wider: readonly string[]): string[] {
  return explain(state, wider).flatMap((text) => drawText(text, "dim", pane));
}

function explain(
  { view, isOpening, isSyncing, isLoading, results, folders }: State,
  wider: readonly string[],
): string[] {
  if (isOpening) return [];
  const query = view.query.trim();
  const { notice } = results;
  if (isSyncing) return [notice ?? "Reading your sessions …"];
  if (isLoading) return [notice ?? "…"];
  const isAll = query === "" && view.cwd === undefined && !view.named;
  return [
    query === "" ? "No sessions" : `No sessions match ${query.includes('"') ? query : `"${query}"`}`,
    ...(notice?.split("\n") ?? []),
    ...(view.named ? ["Only named sessions are included"] : []),
    ...(view.cwd === undefined ? [] : [`Only sessions of ${shortenPath(view.cwd)} are included`]),
    ...(isAll ? explainFolders(folders) : []),
    ...wider,
  ];
}

/** Where sessions are searched, and what to do without any. */
function explainFolders(folders: readonly string[]): string[] {
  if (folders.length === 0) return []; // on a hub
  const shown = folders.slice(0, MAX_FOLDERS).map((folder) => `${INDENT}${shortenPath(folder)}`);
  const more = folders.length - shown.length;
  return [
    "Searched in:",
    ...shown,
    ...(more > 0 ? [`${INDENT}and ${more} more`] : []),
    "pidex demo: try sample sessions",
    "pidex doctor: check these folders",
    "pidex config set roots FOLDER: search other ones",
  ];
}

/** Lines of a text, wrapped. */
function drawText(text: string, format: StyledSpan["format"], pane: Pane): string[] {
  const indent = INDENT + (/^ */.exec(text)?.[0] ?? "");
  return wrap(toOneLine(text), Math.max(1, pane.columns - indent.length)).map((part) =>
    drawLine(pane, [{ text: indent + part, format }]),
  );
}
