/** Handles the picker's requests. Runs in an index host, so that queries never delay keys. */
import { setImmediate } from "node:timers/promises";
import { type Index, type OpenIndexOptions, openIndex } from "../../../library/index.ts";
import { syncUnlessLong } from "../../actions/sync-unless-long.ts";
import { syncedOf } from "../../actions/synced.ts";
import { entryKind } from "../../format/entry-kinds.ts";
import { preview } from "../../format/preview.ts";
import { treeLines } from "../../format/tree-lines.ts";
import type { Outline, QuestionName, TreeRow } from "../model/questions.ts";
import { type Answer, MOST_PREVIEW } from "./answer.ts";
import { Finding } from "./finding.ts";
import { Organising } from "./organising.ts";

/** Maximum length of branch lines before an entry, wider than any terminal: trees may be thousands of levels deep. */
const MAX_STEM_LENGTH = 240;

type AllAnswers = { [N in QuestionName]: Answer<N> };

/** Opens the index for the picker. @throws as `openIndex` */
export async function openAnswers(
  options: OpenIndexOptions,
  onNotice: (notice: string) => void,
): Promise<Answers> {
  return new Answers(await openIndex({ ...options, onNotice }));
}

export class Answers implements AllAnswers {
  readonly #index: Index;
  readonly #finding: Finding;
  #outline: { path: string; outline: Outline } | undefined;
  /** Aborts warming up, which runs after the first list until the user types. */
  readonly #warming = new AbortController();
  #isWarm = false;

  readonly hits: Answer<"hits">;
  readonly facets: Answer<"facets">;
  readonly name: Answer<"name">;
  readonly rename: Answer<"rename">;
  readonly labelled: Answer<"labelled">;
  readonly label: Answer<"label">;
  readonly pin: Answer<"pin">;
  readonly delete: Answer<"delete">;
  readonly restore: Answer<"restore">;

  constructor(index: Index) {
    this.#index = index;
    this.#finding = new Finding(index);
    const organising = new Organising(index, () => void this.changed());
    ({ hits: this.hits, facets: this.facets } = this.#finding);
    ({ name: this.name, rename: this.rename, labelled: this.labelled, label: this.label } = organising);
    ({ pin: this.pin, delete: this.delete, restore: this.restore } = organising);
  }

  /** Clears caches after a sync. */
  async changed(): Promise<void> {
    this.#finding.changed();
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

  results: Answer<"results"> = async (params, control) => {
    if (params.view.query !== "") this.#warming.abort();
    try {
      return await this.#finding.results(params, control);
    } finally {
      void this.#warmUp().catch(() => {}); // a request that needs it reports the error
    }
  };

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
      import("../preview/entry-lines.ts"),
      import("../../format/theme.ts"),
    ]);
    const options = { ...look, theme: themeOf(process.env) };
    const drawn = [];
    for await (const { line, entry } of this.#index.entries(path, { branch: { lines } })) {
      await setImmediate(); // lets a query that was typed meanwhile run first
      const text = entryLines(entry, options);
      // Entries are separated by a blank line.
      drawn.push({ line, entryId: entry.id ?? null, text: text.length > 0 ? [...text, ""] : text });
    }
    return drawn;
  };

  tree: Answer<"tree"> = async ({ path, all }) => {
    const entries = await this.#index.treeEntries(path);
    return treeLines(entries, all).map(
      ({ entry, stem, isLeaf }): TreeRow => ({
        line: entry.line,
        entryId: entry.id,
        stem: stem.length > MAX_STEM_LENGTH ? `…${stem.slice(-MAX_STEM_LENGTH)}` : stem,
        kind: entryKind(entry),
        label: entry.label,
        current: entry.onCurrentBranch,
        isLeaf,
      }),
    );
  };

  previews: Answer<"previews"> = async ({ path, lines }) => {
    const previews: Record<number, string> = {};
    for await (const { line, entry } of this.#index.entries(path, { branch: { lines } }))
      previews[line] = preview(entry, MOST_PREVIEW);
    return previews;
  };

  completions: Answer<"completions"> = async ({ query, at }) => {
    const { from, options } = await this.#index.complete(query, at);
    return { from, texts: options.map(({ text }) => text) };
  };

  sync: Answer<"sync"> = async () => {
    const report = await syncUnlessLong(this.#index);
    if (report === "takes long") return report;
    const synced = syncedOf(report);
    if (synced.changed) await this.changed();
    return synced;
  };
}
