/** Draws the screen of a terminal as an SVG that needs no embedded font. */
import type { IBufferCell, Terminal } from "@xterm/headless";
import { BACKGROUND, FOREGROUND, FRAME, mixed, paletteColor, TITLE, trueColor } from "./colors.ts";

const FONT = 14;
/** Width of a column: that of a letter in most monospaced fonts. For other fonts, `textLength` enforces it. */
const COLUMN = 8.4;
/** Height of a row: that of box-drawing characters, which would otherwise have gaps. */
const ROW = 17;
/** Distance from the top of a row to the baseline. */
const BASELINE = 13;
const MARGIN = 14;
const BAR = 34;

const FONTS = "ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono','Liberation Mono',Consolas,monospace";

/** Adjacent cells of a row with the same style. */
interface Run {
  /** Its first column. */
  start: number;
  columns: number;
  text: string;
  /** The attributes of its `<tspan>`, without its position. */
  style: string;
  background: string;
  kind: Kind;
}

/** How characters are grouped: `single` ones may be wider or narrower than their columns in some fonts, so each is positioned. */
type Kind = "letters" | "lines" | "single";

/**
 * Draws the terminal's current screen in a window.
 *
 * @param options.title the window's title, also the accessible name of the picture
 */
export function toSvg(terminal: Terminal, { title = "" }: { title?: string } = {}): string {
  const width = rounded(terminal.cols * COLUMN + 2 * MARGIN);
  const height = rounded(terminal.rows * ROW + BAR + MARGIN);
  const rows = Array.from({ length: terminal.rows }, (_, row) => toRuns(terminal, row));
  const backgrounds = rows.flatMap((runs, row) => runs.map((run) => drawBackground(run, row)));
  const texts = rows.map(drawText);
  const name = escapeXml(title);
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

function toRuns(terminal: Terminal, row: number): Run[] {
  const buffer = terminal.buffer.active;
  const line = buffer.getLine(buffer.viewportY + row);
  const runs: Run[] = [];
  for (let column = 0; line && column < terminal.cols; column++) {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) continue; // the second half of a wide character
    const { style, background } = toStyle(cell);
    const text = cell.isInvisible() ? " " : cell.getChars() || " ";
    const kind = toKind(text, cell.getWidth());
    const last = runs.at(-1);
    const isSame = last?.style === style && last.background === background && last.kind === kind;
    if (last && isSame && kind !== "single") {
      last.text += text;
      last.columns += cell.getWidth();
    } else {
      runs.push({ start: column, columns: cell.getWidth(), text, style, background, kind });
    }
  }
  return runs;
}

function toKind(text: string, width: number): Kind {
  if (width !== 1 || [...text].length !== 1) return "single";
  const code = text.codePointAt(0) ?? 0;
  // Latin, Greek and Cyrillic are in every monospaced font; arrows, bullets and symbols may come from another one.
  if (code < 0x530) return "letters";
  return code >= 0x2500 && code < 0x25a0 ? "lines" : "single";
}

function toStyle(cell: IBufferCell): { style: string; background: string } {
  const foreground = cell.isFgDefault()
    ? FOREGROUND
    : cell.isFgRGB()
      ? trueColor(cell.getFgColor())
      : paletteColor(cell.getFgColor());
  const background = cell.isBgDefault()
    ? BACKGROUND
    : cell.isBgRGB()
      ? trueColor(cell.getBgColor())
      : paletteColor(cell.getBgColor());
  const [front, back] = cell.isInverse() ? [background, foreground] : [foreground, background];
  const color = cell.isDim() ? mixed(front, back, 0.4) : front;
  const lines = [cell.isUnderline() && "underline", cell.isStrikethrough() && "line-through"].filter(Boolean);
  const attributes = [
    color !== FOREGROUND && ` fill="${color}"`,
    cell.isBold() && ' font-weight="bold"',
    cell.isItalic() && ' font-style="italic"',
    lines.length > 0 && ` text-decoration="${lines.join(" ")}"`,
  ];
  return { style: attributes.filter(Boolean).join(""), background: back };
}

function drawBackground({ start, columns, background }: Run, row: number): string {
  if (background === BACKGROUND) return "";
  const position = `x="${rounded(start * COLUMN)}" y="${row * ROW}" width="${rounded(columns * COLUMN)}" height="${ROW}"`;
  // Without crisp edges, hairlines of the background would show between neighbors.
  return `<rect ${position} fill="${background}" shape-rendering="crispEdges"/>`;
}

/** A row's `<text>`; empty if the row has no visible text. */
function drawText(runs: readonly Run[], row: number): string {
  const spans = runs.flatMap((run) => {
    const isDecorated = run.style.includes("text-decoration");
    const text = isDecorated ? run.text : run.text.trimEnd();
    const start = isDecorated ? 0 : text.length - text.trimStart().length;
    const shown = text.slice(start).replace(/ {2,}/g, (blanks) => "\u00a0".repeat(blanks.length)); // SVG would draw one
    if (shown === "") return [];
    // Except for single characters, each letter has one column.
    const columns = run.kind === "single" ? run.columns : shown.length;
    const stretch = run.kind !== "single" && columns > 1 ? ` textLength="${rounded(columns * COLUMN)}"` : "";
    return [
      `<tspan x="${rounded((run.start + start) * COLUMN)}"${stretch}${run.style}>${escapeXml(shown)}</tspan>`,
    ];
  });
  return spans.length === 0 ? "" : `<text y="${row * ROW + BASELINE}">${spans.join("")}</text>`;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const NAMES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for XML elements and attributes; characters that XML cannot contain become U+FFFD. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"]/g, (character) => NAMES[character] ?? character);
}
