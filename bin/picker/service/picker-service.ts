/** Handles the picker's requests. Runs in an index host, so that queries never delay keys. */
import { setImmediate } from "node:timers/promises";
import { type Index, type OpenIndexOptions, openIndex } from "../../../library/index.ts";
import { syncUnlessLong } from "../../actions/sync-unless-long.ts";
import { syncedOf } from "../../actions/synced.ts";
import { entryKind } from "../../format/entry-kinds.ts";
import { formatPreview } from "../../format/preview.ts";
import { treeLines } from "../../format/tree-lines.ts";
import type { Outline, RequestName, TreeRow } from "../model/requests.ts";
import { MAX_SUMMARY_LENGTH, type RequestHandler } from "./request-handler.ts";
import { SessionChanges } from "./session-changes.ts";
import { SessionFinder } from "./session-finder.ts";

/** Maximum length of branch lines before an entry, wider than any terminal: trees may be thousands of levels deep. */
const MAX_STEM_LENGTH = 240;

type AllAnswers = { [N in RequestName]: RequestHandler<N> };

/** Opens the index for the picker. @throws as `openIndex` */
export async function openPickerService(
  options: OpenIndexOptions,
  onNotice: (notice: string) => void,
): Promise<PickerService> {
  return new PickerService(await openIndex({ ...options, onNotice }));
}

export class PickerService implements AllAnswers {
  readonly #index: Index;
  readonly #finding: SessionFinder;
  #outline: { path: string; outline: Outline } | undefined;
  /** Aborts warming up, which runs after the first list until the user types. */
  readonly #warming = new AbortController();
  #isWarm = false;

  readonly hits: RequestHandler<"hits">;
  readonly facets: RequestHandler<"facets">;
  readonly name: RequestHandler<"name">;
  readonly rename: RequestHandler<"rename">;
  readonly labelTarget: RequestHandler<"labelTarget">;
  readonly label: RequestHandler<"label">;
  readonly pin: RequestHandler<"pin">;
  readonly delete: RequestHandler<"delete">;
  readonly restore: RequestHandler<"restore">;

  constructor(index: Index) {
    this.#index = index;
    this.#finding = new SessionFinder(index);
    const organising = new SessionChanges(index, () => void this.clearCaches());
    ({ hits: this.hits, facets: this.facets } = this.#finding);
    ({ name: this.name, rename: this.rename, labelTarget: this.labelTarget, label: this.label } = organising);
    ({ pin: this.pin, delete: this.delete, restore: this.restore } = organising);
  }

  /** Clears caches after a sync. */
  async clearCaches(): Promise<void> {
    this.#finding.clearCaches();
    this.#outline = undefined;
  }

  async #warmUp(): Promise<void> {
    if (this.#isWarm) return;
    this.#isWarm = true;
    await this.#finding.warmUp(this.#warming.signal);
    await import("../preview/entry-lines.ts");
  }

  close(): Promise<void> {
    return this.#index.close();
  }

  results: RequestHandler<"results"> = async (params, control) => {
    if (params.view.query !== "") this.#warming.abort();
    try {
      return await this.#finding.results(params, control);
    } finally {
      void this.#warmUp().catch(() => {}); // a request that needs it reports the error
    }
  };

  outline: RequestHandler<"outline"> = async ({ path }) => {
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

  entries: RequestHandler<"entries"> = async ({ path, lines, look }) => {
    const [{ renderEntry }, { createTheme }] = await Promise.all([
      import("../preview/entry-lines.ts"),
      import("../../format/theme.ts"),
    ]);
    const options = { ...look, theme: createTheme(process.env) };
    const drawn = [];
    for await (const { line, entry } of this.#index.entries(path, { branch: { lines } })) {
      await setImmediate(); // lets a query that was typed meanwhile run first
      const text = renderEntry(entry, options);
      // Entries are separated by a blank line.
      drawn.push({ line, entryId: entry.id ?? null, text: text.length > 0 ? [...text, ""] : text });
    }
    return drawn;
  };

  tree: RequestHandler<"tree"> = async ({ path, all }) => {
    const entries = await this.#index.treeEntries(path);
    return treeLines(entries, all).map(
      ({ entry, prefix, isLeaf }): TreeRow => ({
        line: entry.line,
        entryId: entry.id,
        branchLines: prefix.length > MAX_STEM_LENGTH ? `…${prefix.slice(-MAX_STEM_LENGTH)}` : prefix,
        kind: entryKind(entry),
        label: entry.label,
        isOnCurrentBranch: entry.onCurrentBranch,
        isLeaf,
      }),
    );
  };

  summaries: RequestHandler<"summaries"> = async ({ path, lines }) => {
    const summaries: Record<number, string> = {};
    for await (const { line, entry } of this.#index.entries(path, { branch: { lines } }))
      summaries[line] = formatPreview(entry, MAX_SUMMARY_LENGTH);
    return summaries;
  };

  completions: RequestHandler<"completions"> = async ({ query, at }) => {
    const { from, options } = await this.#index.complete(query, at);
    return { from, texts: options.map(({ text }) => text) };
  };

  sync: RequestHandler<"sync"> = async () => {
    const report = await syncUnlessLong(this.#index);
    if (report === "takes long") return report;
    const synced = syncedOf(report);
    if (synced.changed) await this.clearCaches();
    return synced;
  };
}
