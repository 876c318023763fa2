/** Finding a text in the displayed session: its hits, and the one in the address. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { narrowsSessionsOnly } from "../../../format/query-terms.ts";
import { literalPattern, wordsToMark } from "../../../format/query-words.ts";
import { type FoundText, toHighlightPattern, toLiteralPattern } from "../entries/display-options.ts";
import type { Params } from "../shell/address.ts";
import { apiUrl, useAnswer } from "../shell/api.ts";
import { hub } from "../shell/source.ts";
import type { BranchRows } from "./branch-rows.ts";
import { type Filter, isShownBy } from "./transcript-rows.ts";
import type { MatchCount } from "./use-match.ts";
import { useMatchCounts } from "./use-match-counts.ts";

/** The line of the next or previous hit, wrapping around at the ends. */
function findNextHit(lines: readonly number[], from: number, by: 1 | -1): number | undefined {
  const next = by > 0 ? lines.find((line) => line > from) : lines.findLast((line) => line < from);
  return next ?? (by > 0 ? lines[0] : lines.at(-1));
}

/** A text is searched for from the user's place first if there is more than this above it. */
const MIN_LINES_ABOVE = 2000;

/** All lines, in order, with those that were found first: they may be beyond the maximum. */
function mergeLines(
  first: readonly number[] | undefined,
  all: { lines: readonly number[]; more: boolean } | undefined,
): readonly number[] | undefined {
  if (!first || !all) return first;
  return all.more ? [...new Set([...all.lines, ...first])].sort((a, b) => a - b) : all.lines;
}

export type Find = ReturnType<typeof useFind>;

interface Options {
  session: string;
  version: number;
  /** The displayed branch; undefined until it is known. */
  shown: BranchRows | undefined;
  /** The entry in the address. */
  at: number | undefined;
  filter: Filter;
  /** The session's folder. */
  folder: string | undefined;
  /** The message selected by keys, or else at the top. */
  currentRow: { readonly current: number };
  /** The parameters of the address. */
  params: Params;
  change: (changes: Params, how: "replace") => void;
}

export function useFind({
  session,
  version,
  shown,
  at,
  filter,
  folder,
  currentRow,
  params,
  change,
}: Options) {
  const { find = "", line = "", entry = "" } = params;
  // Filters of sessions, such as project:, select no entries.
  const q = narrowsSessionsOnly(params.q ?? "") ? "" : (params.q ?? "");
  // A hub has no session files to search for a text as it is.
  const searched = find === "" ? q : hub.value === undefined ? literalPattern(find) : find;
  /** The line from which a text is searched for while it is typed. */
  const typedFrom = useRef<number>(undefined);
  const isLiteral = find !== "" && hub.value === undefined;
  /** The line to search from first. Kept when the user goes on, which must not search again. */
  const from = useMemo(() => {
    const line = (isLiteral && typedFrom.current) || 0;
    return line > MIN_LINES_ABOVE ? line : undefined;
  }, [isLiteral, searched]);
  const request = { session, query: searched, from };
  const answer = useAnswer(searched === "" ? undefined : "hits", request, version);
  const isAnswered = answer.name === apiUrl("hits", request);
  // The first ones come at once, all of them may take seconds.
  const isPattern = searched.trimStart().startsWith("re:");
  const hasMoreLines = isPattern && isAnswered && (answer.data?.more === true || from !== undefined);
  const allRequest = { session, query: searched, all: true };
  const all = useAnswer(hasMoreLines ? "hits" : undefined, allRequest, version);
  const isAllAnswered = hasMoreLines && all.name === apiUrl("hits", allRequest);
  const [first, rest] = [isAnswered ? answer.data : undefined, isAllAnswered ? all.data : undefined];
  const found = useMemo(() => mergeLines(first?.lines, rest), [first, rest]);
  /** Before this line, all entries that match are known. */
  const knownTo = rest?.more
    ? (rest.lines.at(-1) ?? 0)
    : rest || from === undefined
      ? Number.POSITIVE_INFINITY
      : 0;
  const pattern = useMemo(
    () => (isLiteral ? toLiteralPattern(find) : toHighlightPattern(wordsToMark(find || q) || undefined)),
    [isLiteral, find, q],
  );
  /** The lines of the entries that match, in order, without those that the filter hides. */
  const hits = useMemo(() => {
    if (!found || !shown || filter === "all") return found;
    const { tree } = shown;
    return found.filter((each) => isShownBy(filter, shown, tree.findByLine(each) ?? 0));
  }, [found, shown, filter]);
  const counted = useMatchCounts({
    // Entries that match a query are counted as they are in the list of results: each is one hit.
    ...{ session, pattern: isLiteral ? pattern : undefined },
    ...{ rows: shown, lines: hits, folder },
    ...{ hidesCalls: filter === "conversation", failedOnly: filter === "errors" },
  });
  const { counts } = counted;
  /** Without those in which the text cannot be shown, because it is not displayed as it is in the file. */
  const lines = useMemo(() => hits?.filter((line) => counts.get(line) !== 0), [hits, counts]);
  const isFound = !counted.isComplete || counted.total > 0;
  const highlighted = useMemo(
    (): FoundText | undefined =>
      pattern && searched !== "" ? { pattern, lines: new Set(isFound ? hits : []) } : undefined,
    [pattern, searched, hits, isFound],
  );
  const [matches, setMatches] = useState<MatchCount>();
  const [jump, setJump] = useState<{ by: 1 | -1 }>({ by: 1 });
  const stepMatch = useRef<(by: 1 | -1) => boolean>(() => false);
  /** The text that was typed last, which may not be in the address yet. */
  const typed = useRef(find);
  /** The search, once its first hit was shown. */
  const arrived = useRef("");

  /** The line of the hit in the address; undefined unless something is searched for. */
  const hit = searched === "" || at === undefined ? undefined : shown?.tree.line[at];
  const isNumbered = hit !== undefined && hit <= knownTo && counts.get(hit) !== 0;
  const before = isNumbered ? counted.before.get(hit) : undefined;
  const position = matches && before !== undefined ? before + (isLiteral ? matches.index : 0) + 1 : undefined;
  const getCurrentLine = () =>
    (matches ? hit : undefined) ?? shown?.tree.line[shown.key(currentRow.current)] ?? 0;
  const goToLine = (to: number | undefined, by: 1 | -1) => {
    if (to === undefined || !shown) return;
    setJump({ by });
    const position = shown.tree.findByLine(to);
    const isOnBranch = position !== undefined && shown.findRow(position) !== undefined;
    change({ line: String(to), entry: "", ...(!isOnBranch && { leaf: "" }) }, "replace");
  };
  useEffect(() => {
    // Changing the address must not undo what is typed meanwhile.
    if (!lines || !shown || arrived.current === searched || typed.current !== find) return;
    arrived.current = searched;
    const isAtEntry = line !== "" || (entry !== "" && find === "");
    if (isAtEntry) return;
    const from = typedFrom.current ?? 0;
    if (hasMoreLines && !isAllAnswered && !lines.some((each) => each >= from)) {
      arrived.current = ""; // it may be among the others
      return;
    }
    goToLine(lines.find((each) => each >= from) ?? lines[0], 1);
  }, [lines, shown, searched]);

  return {
    text: find || q,
    /** What is counted and stepped through: the entries that match a query, or the places where a text is. */
    unit: isLiteral ? ("match" as const) : ("hit" as const),
    error: isAnswered ? answer.error : undefined,
    /** What to highlight. */
    highlighted,
    hit,
    /** The number of matches or hits counted so far; undefined while entries are searched for. */
    total: lines && counted.total,
    /** Whether `total` still grows. */
    isCounting: !counted.isComplete || (hasMoreLines && !rest),
    /** Whether there may be more than `total`, once it is counted. */
    hasMore: rest ? rest.more : first?.more === true,
    /** The number of the current one, from 1; undefined if there is none, or if the user has gone elsewhere. */
    position,
    onMatch: setMatches,
    /** Changes whenever a hit is gone to, which may be the same one as before: to its first (1) or last (-1) match. */
    jump,
    /** Set to what goes to the next or previous match of the hit, and returns whether there is one. */
    stepMatch,
    /** Searches for a text that is being typed. */
    search: (text: string) => {
      typed.current = text;
      if (text === "") arrived.current = "";
      typedFrom.current = text === "" ? undefined : (typedFrom.current ?? getCurrentLine());
      change({ find: text, q: "", line: "" }, "replace");
    },
    /** The text is complete: the next one is searched for from where the user is by then. */
    endTyping: () => {
      typedFrom.current = undefined;
    },
    /** Goes to the next or previous hit, or match within a hit. */
    go: (by: 1 | -1) => {
      typedFrom.current = undefined;
      if (!lines || (isLiteral && stepMatch.current(by))) return;
      goToLine(findNextHit(lines, getCurrentLine(), by), isLiteral ? by : 1);
    },
  };
}
