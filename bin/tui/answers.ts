/** What the picker is answered, from the index: runs in a thread of its own, away from the keys. */
import { setImmediate } from "node:timers/promises";
import {
  type Index,
  type ListOptions,
  PidexError,
  type ScanHit,
  type SearchOptions,
  SessionManager,
  type TreeEntry,
} from "../../index.ts";
import { assertNoSubagentAtWork } from "../doing/at-work.ts";
import { preview } from "../wording/preview.ts";
import { counted } from "../wording/text.ts";
import { kindOf, treeLines } from "../wording/tree-lines.ts";
import { facetsOf } from "./facets.ts";
import {
  type Outline,
  type QuestionName,
  type Questions,
  type ResultsAsked,
  syncedOf,
  type TreeRow,
} from "./questions.ts";
import { type Threaded, threaded } from "./threads.ts";
import { typedQuery } from "./typed-query.ts";
import { type Results, type Row, type ShownHit, type ShownSession, shownSession, type View } from "./view.ts";

/** How a question is answered: at once, or in parts. */
export interface Control<N extends QuestionName> {
  signal: AbortSignal;
  /** Hands over what is known so far. */
  part: (answer: Questions[N]["answer"]) => void;
}

type Answer<N extends QuestionName> = (
  ask: Questions[N]["ask"],
  control: Control<N>,
) => Promise<Questions[N]["answer"]>;

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

type AllAnswers = { [N in QuestionName]: Answer<N> };

/** Words that stand in most sessions there are. */
const WARMING = ["the", "fix*", "error*", "test*", "file*", "add*", "what", "run*"];

export class Answers implements AllAnswers {
  readonly #index: Index;
  /** The last list, whole: what is typed of a title is looked up in it, and its pages come from it. */
  #list: { key: string; sessions: ShownSession[] } | undefined;
  /** The same in threads: ten thousand take a frame's time. */
  #threads: { of: ShownSession[]; lines: Threaded[] } | undefined;
  #outline: { path: string; outline: Outline } | undefined;

  constructor(index: Index) {
    this.#index = index;
  }

  /** The index was brought up to date. */
  changed(): void {
    this.#list = undefined;
    this.#threads = undefined;
    this.#outline = undefined;
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

  /**
   * Asks what nobody waits for: code is compiled when it was run for a while, and until then takes three times as long.
   *
   * @param signal ends it when somebody asks
   */
  async warmUp(signal: AbortSignal): Promise<void> {
    for (const word of WARMING) {
      await setImmediate();
      if (signal.aborted) return;
      await this.#index.search(word, { limit: SEARCH_PAGE, hits: HITS_EACH, quick: true, sync: false });
    }
    await import("./preview/entry-lines.ts");
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
    const { unfound = [], sessionCount, more, next } = found;
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
      remark: unfound.length > 0 ? `nothing at all holds ${unfound.join(", ")}` : undefined,
    };
  }

  async #scanned(view: View, regex: string, { signal, part }: Control<"results">): Promise<Results> {
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
      part(results());
    };
    const known = new Map((await this.#listed(view)).map((session) => [session.path, session]));
    const { sort: _, ...filters } = searchOptions(view);
    let count = 0;
    const hits = this.#index.scan(
      { regex, caseSensitive: false },
      {
        ...filters,
        limit: MOST_SCANNED,
        signal,
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

  outline: Answer<"outline"> = async ({ path }) => {
    if (this.#outline?.path !== path) {
      const entries = await this.#index.treeEntries(path);
      const outline = {
        lines: entries.map(({ line }) => line),
        current: Uint8Array.from(entries, ({ onCurrentBranch }) => Number(onCurrentBranch)),
      };
      this.#outline = { path, outline };
    }
    return this.#outline.outline;
  };

  entries: Answer<"entries"> = async ({ path, lines, look }) => {
    const [{ entryLines }, { themeOf }] = await Promise.all([
      import("./preview/entry-lines.ts"),
      import("../wording/theme.ts"),
    ]);
    const options = { ...look, theme: themeOf(process.env) };
    const drawn = [];
    for await (const { line, entry } of this.#index.entries(path, { branch: { lines } })) {
      await setImmediate(); // what is typed meanwhile is looked for first
      const text = entryLines(entry, options);
      // A blank line parts what one says from what the next does.
      drawn.push({ line, entryId: entry.id ?? null, text: text.length > 0 ? [...text, ""] : text });
    }
    return drawn;
  };

  hits: Answer<"hits"> = async ({ path, sessionId, view }, { signal }) => {
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
      const options = { ...filters, query: narrow, limit: MOST_HITS, signal };
      for await (const hit of this.#index.scan(pattern, options)) hits.push(shownHit(hit));
    }
    return hits.flatMap((hit) => inSession(hit, path)).sort((a, b) => a.line - b.line);
  };

  tree: Answer<"tree"> = async ({ path, all }) => {
    const entries = await this.#index.treeEntries(path);
    const leaf = entries.at(-1);
    return treeLines(entries, all).map(
      ({ entry, stem }): TreeRow => ({
        line: entry.line,
        entryId: entry.id,
        stem,
        kind: kindOf(entry),
        label: entry.label,
        current: entry.onCurrentBranch,
        isLeaf: entry.line === leaf?.line,
      }),
    );
  };

  previews: Answer<"previews"> = async ({ path, lines }) => {
    const previews: Record<number, string> = {};
    for await (const { line, entry } of this.#index.entries(path, { branch: { lines } }))
      previews[line] = preview(entry, MOST_PREVIEW);
    return previews;
  };

  facets: Answer<"facets"> = async ({ view }) => {
    const typed = typedQuery(view.query);
    if (typed.by !== "words") return facetsOf(await this.#listed(view));
    const options = { ...searchOptions(view), facets: true, limit: 1, hits: 1, sync: false };
    const { facets } = await this.#index.search(typed.query, options);
    return facets ? facetsOf(facets) : [];
  };

  completions: Answer<"completions"> = async ({ query, at }) => {
    const { from, options } = await this.#index.complete(query, at);
    return { from, texts: options.map(({ text }) => text) };
  };

  rename: Answer<"rename"> = async ({ path, name }) => {
    await this.#mayWrite(path);
    const manager = SessionManager.open(path);
    if ((manager.getSessionName() ?? "") === name) return "it has that name already";
    manager.setName(name);
    await this.#wrote(path);
    return name === "" ? "it has no name now" : `named ${name}`;
  };

  labelled: Answer<"labelled"> = async ({ path, line }) => {
    const entries = await this.#index.treeEntries(path);
    const isWanted =
      line === null
        ? ({ onCurrentBranch, type }: TreeEntry) => onCurrentBranch && type === "message"
        : (entry: TreeEntry) => entry.line === line;
    const wanted = entries.findLast(isWanted);
    if (!wanted || wanted.id === null)
      throw new PidexError("NOT_FOUND", "there is no entry that could be labelled", "Choose another one.");
    const { entry } = await this.#index.entry(path, wanted.id);
    return { entryId: wanted.id, label: wanted.label ?? "", about: preview(entry, MOST_PREVIEW) };
  };

  label: Answer<"label"> = async ({ path, entryId, label }) => {
    await this.#mayWrite(path);
    const manager = SessionManager.open(path);
    if ((manager.getLabel(String(entryId)) ?? "") === label) return "it has that label already";
    manager.appendLabelChange(String(entryId), label === "" ? undefined : label);
    await this.#wrote(path);
    return label === "" ? "it has no label now" : `labelled ${label}`;
  };

  sync: Answer<"sync"> = async () => {
    const synced = syncedOf(await this.#index.sync());
    if (synced.changed) this.changed();
    return synced;
  };

  pin: Answer<"pin"> = async ({ path }) => {
    await this.#mayWrite(path);
    const manager = SessionManager.open(path);
    const pinned = !manager.getPinned();
    manager.setPinned(pinned);
    await this.#wrote(path);
    return pinned ? "pinned" : "no longer pinned";
  };

  delete: Answer<"delete"> = async ({ path }) => {
    await this.#mayWrite(path);
    const { to, along } = await SessionManager.delete(path);
    await this.#wrote(path, ...along.map((gone) => gone.path));
    const others = along.length > 0 ? `, with ${counted(along.length, "session")} of its subagents` : "";
    return `${to === "nowhere" ? "deleted" : `moved to the ${to === "trash command" ? "trash" : to}`}${others}`;
  };

  /** @throws PidexError `SESSION_CHANGED` where a subagent may be at work */
  async #mayWrite(path: string): Promise<void> {
    assertNoSubagentAtWork(await this.#index.find(path));
  }

  /** What was written is known at once, whether or not somebody watches. */
  async #wrote(...paths: string[]): Promise<void> {
    await this.#index.syncFiles(paths);
    this.changed();
  }
}

/** More than a line of a terminal shows. */
const MOST_PREVIEW = 300;

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
