/** Handles the picker's requests. Runs in an index host, so that queries never delay keys. */
import { setImmediate } from "node:timers/promises";
import { type SyncResult, toSyncResult } from "../../actions/sync-messages.ts";
import { syncUnlessLong } from "../../actions/sync-unless-long.ts";
import { entryKind } from "../../format/entry-kinds.ts";
import { formatPreview } from "../../format/preview.ts";
import { treeLines } from "../../format/tree-lines.ts";
import type { Completions, EntryLines, ResultsParams, TreeRow } from "../model/requests.ts";
import type { Results } from "../model/view.ts";
import { MAX_SUMMARY_LENGTH, SessionChanges } from "./session-changes.ts";
import type { ResultsControl } from "./session-finder.ts";

/** Maximum length of branch lines before an entry, wider than any terminal: trees may be thousands of levels deep. */
const MAX_STEM_LENGTH = 240;

export class PickerService extends SessionChanges {
  #outline: { path: string; outline: EntryLines } | undefined;
  /** Aborts warming up, which runs after the first list until the user types. */
  readonly #warming = new AbortController();
  #isWarm = false;

  override async clearCaches(): Promise<void> {
    this.#outline = undefined;
    await super.clearCaches();
  }

  async #warmUp(): Promise<void> {
    if (this.#isWarm) return;
    this.#isWarm = true;
    await this.warmUpSearches(this.#warming.signal);
    await import("../preview/entry-lines.ts");
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

  async outline(path: string): Promise<EntryLines> {
    if (this.#outline?.path !== path) {
      const entries = await this.index.treeEntries(path);
      const toLines = (shown: typeof entries) => shown.map(({ line }) => line);
      const current = entries.filter(({ onCurrentBranch }) => onCurrentBranch);
      const prompts = entries.filter(({ role }) => role === "user");
      const outline = { all: toLines(entries), current: toLines(current), prompts: toLines(prompts) };
      this.#outline = { path, outline };
    }
    return this.#outline.outline;
  }

  /**
   * Rendered entries of a session, by line number.
   *
   * @param expanded lines of entries with expanded thinking, arguments and output
   * @param width in columns
   */
  async entries(path: string, lines: number[], expanded: number[], width: number) {
    const [{ renderEntry }, { createTheme }] = await Promise.all([
      import("../preview/entry-lines.ts"),
      import("../../format/theme.ts"),
    ]);
    const theme = createTheme(process.env);
    const drawn: { line: number; text: string[] }[] = [];
    for await (const { line, entry } of this.index.entries(path, { branch: { lines } })) {
      await setImmediate(); // lets a query that was typed meanwhile run first
      const text = renderEntry(entry, { theme, width, isExpanded: expanded.includes(line) });
      // Entries are separated by a blank line.
      drawn.push({ line, text: text.length > 0 ? [...text, ""] : text });
    }
    return drawn;
  }

  async tree(path: string, all: boolean): Promise<TreeRow[]> {
    const entries = await this.index.treeEntries(path);
    return treeLines(entries, all).map(({ entry, prefix, isLeaf }) => ({
      line: entry.line,
      branchLines: prefix.length > MAX_STEM_LENGTH ? `…${prefix.slice(-MAX_STEM_LENGTH)}` : prefix,
      kind: entryKind(entry),
      label: entry.label,
      isOnCurrentBranch: entry.onCurrentBranch,
      isLeaf,
    }));
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

  /** Completions at the end of the query. */
  async completions(query: string): Promise<Completions> {
    const { from, options } = await this.index.complete(query, query.length);
    return { from, texts: options.map(({ text }) => text) };
  }

  /** Syncs the index, and measures how long that takes; does nothing if it would take long. */
  async sync(): Promise<{ synced: SyncResult | "takes long"; ms: number }> {
    const startedAt = performance.now();
    const report = await syncUnlessLong(this.localIndex);
    const ms = performance.now() - startedAt;
    if (report === "takes long") return { synced: report, ms };
    const synced = toSyncResult(report);
    if (synced.changed) await this.clearCaches();
    return { synced, ms };
  }
}
