/** Renders entries to HTML, and inspects it. */
import { renderToString } from "preact-render-to-string";
import {
  DisplayContext,
  type EntryLinks,
  toHighlightPattern,
} from "../../../../bin/web/page/entries/display-options.ts";
import { EntryView } from "../../../../bin/web/page/entries/entry-view.tsx";
import { type Highlighter, HighlighterContext } from "../../../../bin/web/page/highlight/highlighter.ts";
import type { Entry, LocatedEntry } from "../../../../library/index.ts";

const NOWHERE: EntryLinks = { image: () => undefined, entry: () => undefined };

export function toLocated(line: number, entry: object): LocatedEntry {
  return { entry: entry as Entry, line, byteOffset: 0, byteLength: 0 };
}

/** Renders an entry. */
export function renderHtml(
  entry: object,
  {
    results = [],
    links = {},
    found,
    highlighting,
  }: { results?: object[]; links?: Partial<EntryLinks>; found?: string; highlighting?: Highlighter } = {},
): string {
  return renderToString(
    <HighlighterContext.Provider value={highlighting}>
      <DisplayContext.Provider
        value={{ links: { ...NOWHERE, ...links }, highlightPattern: toHighlightPattern(found) }}
      >
        <EntryView
          placed={toLocated(2, entry)}
          results={results.map((result, n) => toLocated(3 + n, result))}
        />
      </DisplayContext.Provider>
    </HighlighterContext.Provider>,
  );
}

export const messageEntry = (role: string, content: unknown, more: object = {}) => ({
  type: "message",
  id: "a",
  timestamp: "2026-01-02T03:04:05.000Z",
  message: { role, content, ...more },
});

/** Renders Markdown in an assistant message. */
export const renderMarkdown = (text: string): string =>
  renderHtml(messageEntry("assistant", [{ type: "text", text }]));

export interface Tag {
  name: string;
  attributes: Record<string, string>;
}

/** The elements of generated, well-formed HTML. */
export function parseTags(html: string): Tag[] {
  return [...html.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, name = "", attributes = ""]) => ({
      name,
      attributes: Object.fromEntries(
        [...attributes.matchAll(/([a-zA-Z-]+)(?:="([^"]*)")?/g)].map(([, key = "", value = ""]) => [
          key,
          value,
        ]),
      ),
    }),
  );
}

/** The text content of HTML. */
export function extractText(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&");
}
