/** The long requests of the page, in an index host, so that other requests don't wait. */
import type {
  Insights,
  InsightsOptions,
  ScanOptions,
  SearchOptions,
  SearchResult,
  SessionSizes,
} from "../../../library/index.ts";
import { loadRedactor } from "../../../library/internal.ts";
import { type AnyIndex, requireLocalIndex } from "../../actions/index-location.ts";
import type { WriteBoundary } from "../../actions/inside-roots.ts";
import type { SessionMetadata } from "../../actions/session-metadata.ts";
import { setCompressed } from "../../actions/set-compressed.ts";
import { warmUp } from "../../actions/warm-up.ts";
import type { HandoffOptions } from "../../agents/handoff-for-people.ts";
import { toSafeJson } from "../../format/json-text.ts";
import { type ExportOptions, renderExport } from "../export/render-export.ts";
import { toErrorAnswer } from "../server/errors.ts";
import { applySessionChange, type SessionChange } from "../server/session-change.ts";
import { scanWithCounts } from "./scan-with-counts.ts";

interface Cancel {
  signal?: AbortSignal;
}

/** Options of an export. The redactor is loaded in the host. */
export type ExportJob = Omit<ExportOptions, "redactor"> & { redact: boolean };

/** Approximate size of a chunk of an export, in UTF-16 units. */
const CHUNK_UNITS = 64 * 1024;

export class PageService {
  readonly #index: AnyIndex;
  readonly #warming = new AbortController();

  constructor(index: AnyIndex) {
    this.#index = index;
  }

  /** Warms up code and caches until the first search. */
  warmUp(): Promise<void> {
    return warmUp(this.#index, { limit: 12, hits: 2, archived: "no", subagents: "no" }, this.#warming.signal);
  }

  search(query: string, options: SearchOptions & Cancel): Promise<SearchResult> {
    this.#warming.abort();
    return this.#index.search(query, options);
  }

  insights(options: InsightsOptions & Cancel): Promise<Insights> {
    return this.#index.insights(options);
  }

  /** The brief of a session, likely secrets masked, and its length. @throws as `writeHandoffForPeople` */
  async handoff(options: Omit<HandoffOptions, "redact">): Promise<{ text: string; tokens: number }> {
    const { writeHandoffForPeople } = await import("../../agents/handoff-for-people.ts");
    const { text, data } = await writeHandoffForPeople(this.#index, options);
    return { text, tokens: data.tokens };
  }

  async refreshRoots(): Promise<void> {
    requireLocalIndex(this.#index, "refreshRoots").refreshRoots();
  }

  /** @throws as `applySessionChange` */
  async changeSession(path: string, change: SessionChange, inside: WriteBoundary): Promise<SessionMetadata> {
    return applySessionChange(path, change, inside);
  }

  /** @throws as the function of this name */
  async setCompressed(...change: Parameters<typeof setCompressed>): Promise<SessionSizes | undefined> {
    return setCompressed(...change);
  }

  /** Yields an export in chunks. @throws as `renderExport` */
  async *export({ redact, ...options }: ExportJob & Cancel): AsyncGenerator<string> {
    const redactor = redact ? await loadRedactor() : undefined;
    let chunk = "";
    for await (const text of renderExport(this.#index, { ...options, redactor })) {
      chunk += text;
      if (chunk.length < CHUNK_UNITS) continue;
      yield chunk;
      chunk = "";
    }
    if (chunk !== "") yield chunk;
  }

  /** Yields each `ScanEvent` as a line of JSON. A failure is the last line, as the status is already sent. */
  async *scan(regex: string, options: ScanOptions & Cancel): AsyncGenerator<string> {
    const { readable, writable } = new TransformStream<string, string>();
    const writer = writable.getWriter();
    // Each write waits until the reader has taken it, and fails if the reader stops early.
    const writeLine = (event: object) => writer.write(`${toSafeJson(event)}\n`);
    scanWithCounts(requireLocalIndex(this.#index, "scan"), regex, options, writeLine)
      .catch((error) => writeLine(toErrorAnswer(error)))
      .then(() => writer.close())
      .catch(() => {}); // the reader is gone
    yield* readable;
  }

  close(): Promise<void> {
    return this.#index.close();
  }
}
