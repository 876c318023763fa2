/** Draws the screen of a terminal as an SVG that stands in a page without any font of its own. */
import type { IBufferCell, Terminal } from "@xterm/headless";
import { BACKGROUND, FOREGROUND, FRAME, mixed, paletteColor, TITLE, trueColor } from "./colors.ts";

const FONT = 14;
/** A column is as wide as a letter of most monospaced fonts; where a font's are not, `textLength` makes them so. */
const COLUMN = 8.4;
/** As high as the lines of a box are drawn, or there are gaps in them. */
const ROW = 17;
/** Where letters stand in their row. */
const BASE = 13;
const MARGIN = 14;
const BAR = 34;

const FONTS = "ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono','Liberation Mono',Consolas,monospace";

/** Cells of a row that look alike and stand side by side. */
interface Run {
  /** The column it begins in. */
  from: number;
  columns: number;
  text: string;
  /** The attributes of its `<tspan>`, but the place. */
  look: string;
  background: string;
  kind: Kind;
}

/** What may be drawn in one go: what is `alone` may be wider or narrower in some fonts than its columns say. */
type Kind = "letters" | "lines" | "alone";

/**
 * What the terminal shows now, in a window.
 *
 * @param options.title what stands in the window's bar, and is read out where the picture cannot be seen
 */
export function toSvg(terminal: Terminal, { title = "" }: { title?: string } = {}): string {
  const width = rounded(terminal.cols * COLUMN + 2 * MARGIN);
  const height = rounded(terminal.rows * ROW + BAR + MARGIN);
  const rows = Array.from({ length: terminal.rows }, (_, row) => runsOf(terminal, row));
  const backgrounds = rows.flatMap((runs, row) => runs.map((run) => backgroundOf(run, row)));
  const texts = rows.map(textOf);
  const name = escaped(title);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"${name && ` aria-label="${name}"`}>`,
    ...(name ? [`<title>${name}</title>`] : []),
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="${BACKGROUND}" stroke="#3a3f4a"/>`,
    `<path d="M1 ${BAR - 6}V9.5a8.5 8.5 0 0 1 8.5-8.5H${width - 9.5}a8.5 8.5 0 0 1 8.5 8.5V${BAR - 6}z" fill="${FRAME}"/>`,
    ...["#f0717c", "#e3bd6d", "#8fca78"].map(
      (color, index) => `<circle cx="${17 + index * 18}" cy="14" r="5.5" fill="${color}"/>`,
    ),
    ...(name
      ? [
          `<text x="${width / 2}" y="18.5" fill="${TITLE}" font-family="system-ui,sans-serif" font-size="12" text-anchor="middle">${name}</text>`,
        ]
      : []),
    `<g transform="translate(${MARGIN} ${BAR})">`,
    ...backgrounds.filter((background) => background !== ""),
    `<g fill="${FOREGROUND}" font-family="${FONTS}" font-size="${FONT}" xml:space="preserve" style="white-space:pre">`,
    ...texts.filter((text) => text !== ""),
    "</g>",
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function runsOf(terminal: Terminal, row: number): Run[] {
  const buffer = terminal.buffer.active;
  const line = buffer.getLine(buffer.viewportY + row);
  const runs: Run[] = [];
  for (let column = 0; line && column < terminal.cols; column++) {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) continue; // the second half of a wide character
    const { look, background } = lookOf(cell);
    const text = cell.isInvisible() ? " " : cell.getChars() || " ";
    const kind = kindOf(text, cell.getWidth());
    const last = runs.at(-1);
    const isSame = last?.look === look && last.background === background && last.kind === kind;
    if (last && isSame && kind !== "alone") {
      last.text += text;
      last.columns += cell.getWidth();
    } else {
      runs.push({ from: column, columns: cell.getWidth(), text, look, background, kind });
    }
  }
  return runs;
}

function kindOf(text: string, width: number): Kind {
  if (width !== 1 || [...text].length !== 1) return "alone";
  const code = text.codePointAt(0) ?? 0;
  // Latin, Greek and Cyrillic are in every monospaced font; arrows, bullets and signs may come from another one.
  if (code < 0x530) return "letters";
  return code >= 0x2500 && code < 0x25a0 ? "lines" : "alone";
}

function lookOf(cell: IBufferCell): { look: string; background: string } {
  const written = cell.isFgDefault()
    ? FOREGROUND
    : cell.isFgRGB()
      ? trueColor(cell.getFgColor())
      : paletteColor(cell.getFgColor());
  const behind = cell.isBgDefault()
    ? BACKGROUND
    : cell.isBgRGB()
      ? trueColor(cell.getBgColor())
      : paletteColor(cell.getBgColor());
  const [front, background] = cell.isInverse() ? [behind, written] : [written, behind];
  const color = cell.isDim() ? mixed(front, background, 0.4) : front;
  const lines = [cell.isUnderline() && "underline", cell.isStrikethrough() && "line-through"].filter(Boolean);
  const look = [
    color !== FOREGROUND && ` fill="${color}"`,
    cell.isBold() && ' font-weight="bold"',
    cell.isItalic() && ' font-style="italic"',
    lines.length > 0 && ` text-decoration="${lines.join(" ")}"`,
  ];
  return { look: look.filter(Boolean).join(""), background };
}

function backgroundOf({ from, columns, background }: Run, row: number): string {
  if (background === BACKGROUND) return "";
  const place = `x="${rounded(from * COLUMN)}" y="${row * ROW}" width="${rounded(columns * COLUMN)}" height="${ROW}"`;
  // Without crisp edges, hairlines of the background would show between neighbors.
  return `<rect ${place} fill="${background}" shape-rendering="crispEdges"/>`;
}

/** A row's `<text>`; empty where nothing is to be seen in it. */
function textOf(runs: readonly Run[], row: number): string {
  const spans = runs.flatMap((run) => {
    const isDecorated = run.look.includes("text-decoration");
    const text = isDecorated ? run.text : run.text.trimEnd();
    const start = isDecorated ? 0 : text.length - text.trimStart().length;
    const shown = text.slice(start);
    if (shown === "") return [];
    // All but what is alone has one column a letter.
    const columns = run.kind === "alone" ? run.columns : shown.length;
    const stretch = run.kind !== "alone" && columns > 1 ? ` textLength="${rounded(columns * COLUMN)}"` : "";
    return [
      `<tspan x="${rounded((run.from + start) * COLUMN)}"${stretch}${run.look}>${escaped(shown)}</tspan>`,
    ];
  });
  return spans.length === 0 ? "" : `<text y="${row * ROW + BASE}">${spans.join("")}</text>`;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const NAMES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as it may stand in XML, between tags and in attributes; what XML has no way to say is U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"]/g, (sign) => NAMES[sign] ?? sign);
}
