/** Which sessions are found: lists, searches, scans and what narrows them. */
import type { Index, ListOptions, ScanHit, SearchOptions } from "../../../library/index.ts";
import { warmUp } from "../../actions/warm-up.ts";
import { closestNotice, queryNotice, unknownWords } from "../../format/closest.ts";
import { counted } from "../../format/safe.ts";
import { typedQuery } from "../../format/typed-query.ts";
import type { ResultsAsked } from "../model/questions.ts";
import {
  type Results,
  type Row,
  type ShownHit,
  type ShownSession,
  shownSession,
  type View,
} from "../model/view.ts";
import type { Answer, Control } from "./answer.ts";
import { facetsOf } from "./facets.ts";
import { type Threaded, threaded } from "./threads.ts";

/** Sessions that are handed over at once. */
const LIST_PAGE = 200;
const SEARCH_PAGE = 12;
const MOST_SEARCHED = 1000;
/** Hits that a list shows of a session. Each is read back from its file. */
const HITS_EACH = 2;
/** Hits that a walk through one session goes to. */
const MOST_HITS = 1000;
/** Hits that a pattern is looked for at most. */
const MOST_SCANNED = 2000;
/** How often a scan tells what it found. */
const PART_EVERY_MS = 100;

export class Finding {
  readonly #index: Index;
  /** The last list, whole: what is typed of a title is looked up in it, and its pages come from it. */
  #list: { key: string; sessions: ShownSession[] } | undefined;
  /** The same in threads: ten thousand take a frame's time. */
  #threads: { of: ShownSession[]; lines: Threaded[] } | undefined;

  constructor(index: Index) {
    this.#index = index;
  }

  /** The index was brought up to date. */
  changed(): void {
    this.#list = undefined;
    this.#threads = undefined;
  }

  results: Answer<"results"> = async (ask, control) => {
    const { view, next, atLeast } = ask;
    const typed = typedQuery(view.query);
    if (typed.by === "words") return this.#searched(typed.query, ask);
    if (typed.by === "pattern") return this.#scanned(view, typed.regex, control);
    const sessions = await this.#listed(view);
    const wanted = typed.by === "title" ? sessions.filter(inTitle(typed.text)) : sessions;
    const from = Number(next ?? 0);
    const to = from + Math.max(LIST_PAGE, atLeast);
    const lines =
      view.sort === "threaded" && typed.by === "nothing"
        ? this.#threaded(sessions).slice(from, to)
        : wanted.slice(from, to).map((session) => ({ session, stem: "" }));
    return {
      view,
      rows: lines.map((line) => ({ ...line, hits: [], hitCount: 0 })),
      total: wanted.length,
      more: false,
      next: to < wanted.length ? String(to) : undefined,
    };
  };

  #threaded(sessions: ShownSession[]): Threaded[] {
    if (this.#threads?.of !== sessions) this.#threads = { of: sessions, lines: threaded(sessions) };
    return this.#threads.lines;
  }

  /** Asks what nobody waits for, until somebody asks. */
  warmUp(signal: AbortSignal): Promise<void> {
    return warmUp(this.#index, { limit: SEARCH_PAGE, hits: HITS_EACH }, signal);
  }

  async #listed(view: View): Promise<ShownSession[]> {
    const options: ListOptions = { ...filtersOf(view), archived: view.archived ? "yes" : "no" };
    const key = JSON.stringify(options);
    if (this.#list?.key !== key) {
      const { sessions } = await this.#index.listAll({ ...options, pinnedFirst: true });
      this.#list = { key, sessions: sessions.map(shownSession) };
    }
    return this.#list.sessions;
  }

  async #searched(query: string, { view, next: cursor, atLeast, quick }: ResultsAsked): Promise<Results> {
    const found = await this.#index.search(query, {
      ...searchOptions(view),
      cursor,
      quick,
      limit: Math.min(Math.max(SEARCH_PAGE, atLeast), MOST_SEARCHED),
      hits: HITS_EACH,
      sync: false, // another thread does
    });
    const { sessionCount, more, next } = found;
    return {
      view,
      rows: found.sessions.map(({ session, hits, hitCount }): Row => {
        const shown = areOfSessions(query)
          ? { hits: [], hitCount: 0 }
          : { hits: hits.map(shownHit), hitCount };
        return { session: shownSession(session), stem: "", ...shown };
      }),
      total: sessionCount,
      more,
      next,
      remark:
        [queryNotice(found), closestNotice(found) ?? unknownWords(found)].filter(Boolean).join(". ") ||
        undefined,
    };
  }

  async #scanned(view: View, regex: string, { signal, part }: Control<"results"> = {}): Promise<Results> {
    const rows = new Map<string, Row>();
    let remark: string | undefined = "looking through the files …";
    const results = (): Results => ({
      view,
      rows: [...rows.values()],
      total: rows.size,
      more: false,
      remark,
    });
    let told = performance.now();
    const tell = () => {
      if (performance.now() - told < PART_EVERY_MS) return;
      told = performance.now();
      part?.(results());
    };
    const known = new Map((await this.#listed(view)).map((session) => [session.path, session]));
    const { sort: _, ...filters } = searchOptions(view);
    let count = 0;
    const hits = this.#index.scan(
      { regex, caseSensitive: false },
      {
        ...filters,
        limit: MOST_SCANNED,
        ...(signal && { signal }),
        onProgress: ({ bytes, bytesDone }) => {
          remark = `looking through the files … ${bytes > 0 ? Math.floor((100 * bytesDone) / bytes) : 0}%`;
          tell();
        },
      },
    );
    for await (const hit of hits) {
      count++;
      const session = known.get(hit.path);
      if (!session) continue; // it came after the list
      const row = rows.get(hit.path) ?? { session, stem: "", hits: [], hitCount: 0 };
      rows.set(hit.path, row);
      row.hitCount++;
      if (row.hits.length < HITS_EACH) row.hits.push(shownHit(hit));
      tell();
    }
    remark = count === MOST_SCANNED ? `the first ${counted(count, "hit")}` : undefined;
    return results();
  }

  hits: Answer<"hits"> = async ({ path, sessionId, view }, { signal } = {}) => {
    const typed = typedQuery(view.query);
    const narrow = `session:${quoted(sessionId)}`;
    const hits: ShownHit[] = [];
    if (typed.by === "words") {
      const options = { ...searchOptions(view), limit: MOST_HITS, sync: false };
      const found = await this.#index.searchEntries(`${narrow} ${grouped(typed.query)}`, options);
      hits.push(...found.hits.map(shownHit));
    } else if (typed.by === "pattern") {
      const { sort: _, ...filters } = searchOptions(view);
      const pattern = { regex: typed.regex, caseSensitive: false };
      const options = { ...filters, query: narrow, limit: MOST_HITS, ...(signal && { signal }) };
      for await (const hit of this.#index.scan(pattern, options)) hits.push(shownHit(hit));
    }
    return hits.flatMap((hit) => inSession(hit, path)).sort((a, b) => a.line - b.line);
  };

  facets: Answer<"facets"> = async ({ view }) => {
    const typed = typedQuery(view.query);
    if (typed.by !== "words") return facetsOf(await this.#listed(view));
    const options = { ...searchOptions(view), facets: true, limit: 1, hits: 1, sync: false };
    const { facets } = await this.#index.search(typed.query, options);
    return facets ? facetsOf(facets) : [];
  };
}

/** A field that sessions are narrowed by, whatever stands in them. */
const OF_SESSIONS =
  /(?:^|\s)-?(?:(?:project|cwd|model|provider|session|name|tag):|is:(?:named|forked|pinned|archived)(?=\s|$))(?:"[^"]*"|\S)*/g;

/** Whether a query asks for sessions alone: then no entry of theirs is a better hit than another. */
function areOfSessions(query: string): boolean {
  return query.replace(OF_SESSIONS, "").trim() === "";
}

function filtersOf({ cwd, named, subagents }: View) {
  return { cwd, named: named ? true : undefined, subagents: subagents ? ("yes" as const) : ("no" as const) };
}

function searchOptions(view: View): Pick<SearchOptions, "cwd" | "named" | "subagents" | "archived" | "sort"> {
  const sort = view.sort === "newest" ? ("newest" as const) : ("relevance" as const);
  return { ...filtersOf(view), archived: view.archived ? "yes" : "no", sort };
}

function shownHit(hit: ShownHit | ScanHit): ShownHit {
  const { path, entryId, line, type, role, onCurrentBranch, alsoIn, part, snippet } = hit;
  const shown = { path, entryId, line, type, role, onCurrentBranch, alsoIn, part, snippet };
  return "together" in hit && hit.together ? { ...shown, together: true } : shown;
}

/** A hit where it stands in this session: its entry may be told of in the session that it was copied from. */
function inSession(hit: ShownHit, path: string): ShownHit[] {
  if (hit.path === path) return [hit];
  return hit.alsoIn.filter((place) => place.path === path).map((place) => ({ ...hit, ...place }));
}

/** Whether a session's title, folder, tags or id hold a text, in any case. */
function inTitle(text: string): (session: ShownSession) => boolean {
  const wanted = text.toLowerCase();
  return ({ name, firstMessage, cwd, tags, id }) =>
    [name ?? firstMessage, cwd.slice(cwd.search(/[^/\\]*$/)), id, ...tags].some((each) =>
      each.toLowerCase().includes(wanted),
    );
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', "")}"`;
}

/** A query as one part of another. */
function grouped(query: string): string {
  return /\sOR\s/.test(query) ? `(${query})` : query;
}
