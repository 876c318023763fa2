/** Handles the picker's requests. Runs in an index host, so that queries never delay keys. */
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Outline } from "../../../library/index.ts";
import { type SyncResult, toSyncResult } from "../../actions/sync-messages.ts";
import { syncUnlessLong } from "../../actions/sync-unless-long.ts";
import { entryKind } from "../../format/entry-kinds.ts";
import { formatPreview } from "../../format/preview.ts";
import { formatCount, formatInteger } from "../../format/safe.ts";
import { treeLines } from "../../format/tree-lines.ts";
import type {
  EntryLines,
  LoadedTree,
  OpenedSession,
  PreviewLook,
  RenderedEntry,
  ResultsParams,
  TreeParams,
} from "../model/requests.ts";
import type { Results } from "../model/view.ts";
import { MAX_SUMMARY_LENGTH, SessionChanges } from "./session-changes.ts";
import type { ResultsControl } from "./session-finder.ts";

/** Maximum length of branch lines before an entry, wider than any terminal: trees may be thousands of levels deep. */
const MAX_STEM_LENGTH = 240;

/** Pause before searches in advance: the first previews are requested meanwhile. */
const WARM_UP_DELAY_MS = 300;

/** Entries that are rendered before and after the one at which a session is opened, at most. */
const ENTRIES_BEFORE = 4;
const ENTRIES_AFTER = 40;

export class PickerService extends SessionChanges {
  #outline: { path: string; lines: EntryLines; omitted: ReadonlySet<number> } | undefined;
  #folder: { path: string; cwd: string } | undefined;
  /** Aborts warming up, which runs after the first list until the user types. */
  readonly #warming = new AbortController();
  #isWarm = false;

  override async clearCaches(): Promise<void> {
    this.#outline = undefined;
    this.#folder = undefined;
    await super.clearCaches();
  }

  async #warmUp(): Promise<void> {
    if (this.#isWarm) return;
    this.#isWarm = true;
    await import("../preview/entry-lines.ts");
    await setTimeout(WARM_UP_DELAY_MS, undefined, { signal: this.#warming.signal });
    await this.warmUpSearches(this.#warming.signal);
  }

  close(): Promise<void> {
    return this.index.close();
  }

  override async results(params: ResultsParams, control?: ResultsControl): Promise<Results> {
    if (params.view.query !== "") this.#warming.abort();
    try {
      return await super.results(params, control);
    } finally {
      void this.#warmUp().catch(() => {}); // a request that needs it reports the error
    }
  }

  /** The line numbers of a session's entries, and those that a summary of the conversation leaves out. */
  async #readOutline(path: string): Promise<{ lines: EntryLines; omitted: ReadonlySet<number> }> {
    if (this.#outline?.path !== path) {
      const { line: all, parent, kind, kinds } = await this.index.outline(path);
      const current: number[] = [];
      for (let at = all.length - 1; at >= 0; at = parent[at] as number) current.push(all[at] as number);
      current.sort((a, b) => a - b); // a parent may be below its child
      const prompts = all.filter((_, at) => kinds[kind[at] as number]?.role === "user");
      const omitted = new Set(all.filter((_, at) => kinds[kind[at] as number]?.role === "toolResult"));
      this.#outline = { path, lines: { all, current, prompts }, omitted };
    }
    return this.#outline;
  }

  async #readFolder(path: string): Promise<string> {
    if (this.#folder?.path !== path) this.#folder = { path, cwd: (await this.index.find(path)).cwd };
    return this.#folder.cwd;
  }

  /**
   * The outline of a session, and its rendered entries around a line of the file, or from the start.
   *
   * @param rows number of rows to fill
   */
  async open(path: string, line: number | null, rows: number, look: PreviewLook): Promise<OpenedSession> {
    const { lines: outline } = await this.#readOutline(path);
    const shown = line === null || outline.current.includes(line) ? outline.current : outline.all;
    const at = line === null ? 0 : Math.max(0, shown.indexOf(line));
    const wanted = shown.slice(Math.max(0, at - ENTRIES_BEFORE), at + ENTRIES_AFTER);
    return { outline, drawn: await this.entries(path, wanted, [], look, rows) };
  }

  /**
   * Rendered entries of a session.
   *
   * @param lines lines of the file, in order
   * @param expanded lines of entries with expanded thinking, arguments and output
   * @param rows rendering stops after this number of rows
   */
  async entries(
    path: string,
    lines: number[],
    expanded: number[],
    { width, isSummary }: PreviewLook,
    rows = Number.POSITIVE_INFINITY,
  ): Promise<RenderedEntry[]> {
    const [{ renderEntry }, { createTheme }] = await Promise.all([
      import("../preview/entry-lines.ts"),
      import("../../format/theme.ts"),
    ]);
    const theme = createTheme(process.env);
    const { omitted } = isSummary ? await this.#readOutline(path) : { omitted: new Set<number>() };
    const folder = await this.#readFolder(path);
    const isRead = (line: number) => !omitted.has(line) || expanded.includes(line);
    const texts = new Map<number, string[]>();
    let end = Number.POSITIVE_INFINITY;
    let count = 0;
    for await (const { line, entry } of this.index.entries(path, {
      branch: { lines: lines.filter(isRead) },
    })) {
      await setImmediate(); // lets a query that was typed meanwhile run first
      const isExpanded = expanded.includes(line);
      const text = renderEntry(entry, { theme, width, isExpanded, isSummary, folder });
      // Entries are separated by a blank line.
      texts.set(line, text.length === 0 || isSummary ? text : [...text, ""]);
      count += text.length;
      end = line;
      if (count >= rows) break;
      end = Number.POSITIVE_INFINITY;
    }
    // Entries that no longer exist have no lines.
    return lines.filter((line) => line <= end).map((line) => ({ line, text: texts.get(line) ?? [] }));
  }

  async tree(path: string, params: TreeParams): Promise<LoadedTree> {
    const outline = await this.index.outline(path);
    const lines = treeLines(outline, params);
    const rows = lines.map(({ id: _, prefix, kind, ...line }) => ({
      ...line,
      branchLines: prefix.length > MAX_STEM_LENGTH ? `…${prefix.slice(-MAX_STEM_LENGTH)}` : prefix,
      kind: entryKind(kind),
    }));
    let [prompts, answers, calls] = [0, 0, 0];
    for (const at of outline.kind) {
      const { role, hasText } = outline.kinds[at] as Outline["kinds"][number];
      if (role === "user") prompts++;
      else if (role === "toolResult") calls++;
      else if (role === "assistant" && hasText) answers++;
    }
    const branches = lines.filter(({ branch }) => branch && branch.number > 1).length + 1;
    const facts = [
      formatCount(prompts, "prompt"),
      formatCount(answers, "answer"),
      ...(calls > 0 ? [formatCount(calls, "tool call")] : []),
      ...(branches > 1 ? [`${formatInteger(branches)} branches`] : []),
    ];
    return { rows, facts };
  }

  /** One-line summaries of entries, by line number. */
  async summaries(path: string, lines: number[]): Promise<Record<number, string>> {
    const summaries: Record<number, string> = {};
    for await (const { line, entry } of this.index.entries(path, { branch: { lines } }))
      summaries[line] = formatPreview(entry, MAX_SUMMARY_LENGTH);
    return summaries;
  }

  /** The text of the last model response on the current branch; undefined if there is none. */
  async lastAnswer(path: string): Promise<string | undefined> {
    const { toTranscript } = await import("../../format/transcript.ts");
    const entries = await this.index.treeEntries(path);
    const answers = entries.filter(({ onCurrentBranch, role }) => onCurrentBranch && role === "assistant");
    for (const { line } of answers.toReversed()) {
      for await (const { entry } of this.index.entries(path, { branch: { lines: [line] } })) {
        const texts = toTranscript(entry).parts.flatMap((part) => (part.kind === "text" ? part.text : []));
        const text = texts.join("\n\n").trim();
        if (text !== "") return text; // others consist of tool calls
      }
    }
    return undefined;
  }

  /** The brief of the current branch, likely secrets masked, and its length. @throws as `writeHandoffForPeople` */
  async handoff(path: string): Promise<{ text: string; tokens: number }> {
    const { writeHandoffForPeople } = await import("../../agents/handoff-for-people.ts");
    const { text, data } = await writeHandoffForPeople(this.index, { session: path });
    return { text, tokens: data.tokens };
  }

  /** Syncs the index, and measures how long that takes; does nothing if it would take long. */
  async sync(): Promise<{ synced: SyncResult | "takes long"; ms: number }> {
    const startedAt = performance.now();
    const report = await syncUnlessLong(this.localIndex);
    const ms = performance.now() - startedAt;
    if (report === "takes long") return { synced: report, ms };
    const synced = toSyncResult(report);
    if (!synced.busy) this.endFirstIndex();
    if (synced.changed) await this.clearCaches();
    return { synced, ms };
  }
}
