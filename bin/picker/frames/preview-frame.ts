/** Draws the preview of a session beside or below the list. */
import { formatCents } from "../../format/numbers.ts";
import { formatCount, toOneLine } from "../../format/safe.ts";
import { getProjectName } from "../../format/sessions.ts";
import { measureWidth, truncate } from "../../format/text.ts";
import { formatAge } from "../../format/times.ts";
import { getSessionTitle } from "../../format/titles.ts";
import type { ShownSession } from "../model/view.ts";
import type { Size } from "./layout.ts";
import { drawLine, type Pane } from "./line.ts";
import { shortenPath } from "./paths.ts";

/** Maximum number of lines of a title. */
const MAX_TITLE_LINES = 4;

/** Draws what is above the conversation: the full title, the folder, the model, the cost and the length, and a line below. */
export function drawPreviewHeading(session: ShownSession, { theme, columns, rows }: Pane): string[] {
  const line = (text: string, format: "bold" | "cyan" | "dim") =>
    drawLine({ theme, columns }, [{ text, format }]);
  return [
    ...wrapTitle(getSessionTitle(session), columns).map((text) => line(text, "bold")),
    line(shortenPath(session.cwd), "cyan"),
    ...wrapFacts(describeSession(session), columns).map((text) => line(text, "dim")),
    line("─".repeat(columns), "dim"),
  ].slice(0, Math.max(0, Math.floor(rows / 2)));
}

/** Draws the first line above a session that fills the terminal: its folder, its model, its cost and its length. */
export function drawSessionFacts(session: ShownSession, { theme, columns }: Pane): string {
  const facts = describeSession(session).join(" · ");
  const folder = shortenPath(session.cwd);
  const shown = measureWidth(`${folder}  ${facts}`) <= columns ? folder : getProjectName(session);
  return drawLine({ theme, columns }, [
    { text: shown, format: "cyan" },
    { text: `  ${facts}`, format: "dim" },
  ]);
}

/** The size of the rest of the pane. */
export function previewTextSize(session: ShownSession, { columns, rows }: Size): Size {
  const theme = { style: (_: unknown, text: string) => text, select: (text: string) => text };
  return { columns, rows: rows - drawPreviewHeading(session, { theme, columns, rows }).length };
}

function describeSession({ model, costUsd, messageCount, modified, tags }: ShownSession): string[] {
  const age = formatAge(new Date(modified));
  return [
    model ?? "",
    costUsd ? formatCents(costUsd) : "",
    formatCount(messageCount, "message"),
    /^\d/.test(age) ? `${age} ago` : age,
    ...tags.map((tag) => `#${tag}`),
  ].flatMap((fact) => toOneLine(fact) || []);
}

/** Facts on as many lines as they need. */
function wrapFacts(facts: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const fact of facts) {
    const longer = lines.length === 0 ? fact : `${lines.at(-1)} · ${fact}`;
    if (lines.length === 0 || measureWidth(longer) > columns) lines.push(fact);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** A title on several lines, broken between words if possible. */
function wrapTitle(title: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = title;
  while (lines.length < MAX_TITLE_LINES - 1) {
    const cut = truncate(rest, columns);
    if (cut === rest || columns < 8) break;
    const start = cut.slice(0, -1); // without the ellipsis
    const space = rest[start.length] === " " ? start.length : start.lastIndexOf(" ");
    const end = space > start.length / 2 ? space : start.length;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...lines, truncate(rest, columns)];
}
