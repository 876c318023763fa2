/** HTML exports: one self-contained file without scripts. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderToString } from "preact-render-to-string";
import { PidexError, type SessionInfo } from "../../../library/index.ts";
import { toSafeText } from "../../format/bounded-text.ts";
import { toOneLine } from "../../format/safe.ts";
import { getTitleAsHeading } from "../../format/short-titles.ts";
import { DisplayContext, toHighlightPattern } from "../page/entries/display-options.ts";
import { EntryView } from "../page/entries/entry-view.tsx";
import { HighlighterContext } from "../page/highlight/highlighter.ts";
import { pageFolder } from "../server/assets.ts";
import type { ExportContent, ExportedSession, Prompt } from "./export-content.ts";
import { ExportHighlighting } from "./export-highlighting.ts";
import { type EntryWithResults, groupResults } from "./group-results.ts";
import { findImageUrl } from "./images.ts";
import { toSessionFacts } from "./session-facts.ts";

/** @throws PidexError `FILE_UNREADABLE` if the page was not built; errors from reading entries */
export async function* toHtml(exporting: ExportContent): AsyncGenerator<string> {
  const { title, about, sessions, isMasked } = exporting;
  yield head(toOneLine(title), readStyle());
  yield `<main class="exported">\n<header>${renderToString(<Title {...{ title, about, isMasked }} />)}`;
  let number = 0;
  for await (const passage of sessions) yield* passageHtml(passage, ++number, exporting);
  if (number === 0) yield "</header>\n<p>No sessions match.</p>\n";
  const stopped = exporting.getStopReason();
  if (stopped !== undefined) yield `${renderToString(<p class="quiet">{stopped}.</p>)}\n`;
  yield "<footer>Exported by pidex</footer>\n</main>\n</body>\n</html>\n";
}

/** The head, with a policy that allows only this stylesheet and embedded images. */
function head(title: string, style: string): string {
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="generator" content="pidex">',
    renderToString(<title>{title}</title>),
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "",
  ].join("\n");
}

function readStyle(): string {
  const path = join(pageFolder(), "export.css");
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const hint = "Build it: npm run build. Or export as Markdown: --format md";
    throw new PidexError("FILE_UNREADABLE", `${path} cannot be read`, hint, { cause });
  }
}

async function* passageHtml(
  passage: ExportedSession,
  number: number,
  exporting: ExportContent,
): AsyncGenerator<string> {
  const { session, hits } = passage;
  const { isCollection } = exporting;
  if (isCollection) {
    if (number === 1) yield "</header>\n";
    const title = <h2 dir="auto">{toOneLine(toSafeText(getTitleAsHeading(session)))}</h2>;
    yield `<section class="found">${renderToString(title)}${renderToString(<Facts session={session} />)}\n`;
  } else {
    yield renderToString(<Facts session={session} />);
    if (passage.prompts) yield* contentsHtml(passage.prompts());
    yield "</header>\n<section>\n";
  }
  const highlighting = new ExportHighlighting();
  let last: number | undefined;
  for await (const group of groupResults(passage.entries())) {
    const { line } = group.placed;
    if (hits && last !== undefined && line > last + 1) yield '<p class="between">…</p>\n';
    last = Math.max(line, ...group.results.map((result) => result.line));
    const prefix = isCollection ? `s${number}-` : "";
    yield `${await renderEntry(group, { prefix, highlighting, exporting })}\n`;
  }
  yield "</section>\n";
}

interface RenderOptions {
  /** Makes the element ids of this session unique on the page. */
  prefix: string;
  highlighting: ExportHighlighting;
  exporting: ExportContent;
}

/** One entry as HTML. Renders it again after loading the languages of its code. */
async function renderEntry({ placed, results }: EntryWithResults, options: RenderOptions): Promise<string> {
  const { prefix, highlighting, exporting } = options;
  const elementId = `${prefix}line-${placed.line}`;
  const links = {
    image: (line: number, n: number) =>
      exporting.images ? findImageUrl([placed, ...results], line, n) : undefined,
    entry: (id: string | number) => (id === placed.entry.id ? `#${elementId}` : undefined),
  };
  const highlightPattern = toHighlightPattern(exporting.searchTerms);
  const render = () =>
    renderToString(
      <HighlighterContext.Provider value={highlighting}>
        <DisplayContext.Provider value={{ links, highlightPattern }}>
          <div class="placed" id={elementId}>
            <EntryView {...{ placed, results }} />
          </div>
        </DisplayContext.Provider>
      </HighlighterContext.Provider>,
    );
  const first = render();
  if (!highlighting.needsLoading) return first;
  await highlighting.load();
  return render();
}

async function* contentsHtml(prompts: AsyncIterable<Prompt>): AsyncGenerator<string> {
  let hasPrompts = false;
  for await (const { line, words } of prompts) {
    if (!hasPrompts) yield '<details class="contents card"><summary>Prompts</summary><ol>\n';
    hasPrompts = true;
    const item = (
      <li>
        <a href={`#line-${line}`}>{words}</a>
      </li>
    );
    yield `${renderToString(item)}\n`;
  }
  if (hasPrompts) yield "</ol></details>\n";
}

function Title({ title, about, isMasked }: Pick<ExportContent, "title" | "about" | "isMasked">) {
  return (
    <>
      <h1 dir="auto">{toOneLine(toSafeText(title))}</h1>
      <p class="quiet">
        {toOneLine(about)}
        {isMasked && ", likely secrets masked"}
      </p>
    </>
  );
}

function Facts({ session }: { session: SessionInfo }) {
  return (
    <dl class="facts">
      {toSessionFacts(session).map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}
