/** Themes: translate the colors of drawn lines, which are drawn with the standard ones, to colors with enough contrast. */

export const THEMES = ["auto", "light", "dark", "contrast", "ascii"] as const;
/**
 * `auto` is `light` or `dark` once the background is known, until then the terminal's own colors. `contrast` has no colors and no faint text.
 * `ascii` is `auto` with ASCII marks.
 */
export type ThemeName = (typeof THEMES)[number];

/** How frames are colored. */
export interface Look {
  theme: ThemeName;
  /** The background of the terminal, if known. */
  background?: "light" | "dark" | undefined;
  /** Whether the terminal has 256 colors; otherwise its own ones are kept. */
  has256Colors: boolean;
}

/** Colors by the standard one that they replace, as numbers of the 256-color palette: these are the same in all terminals. */
export interface Palette {
  /** The background that contrasts are computed for. */
  background: number;
  /** Background of the selected row. */
  selected: number;
  dim: number;
  red: number;
  green: number;
  yellow: number;
  blue: number;
  magenta: number;
  cyan: number;
}

export const PALETTES: Readonly<Record<"light" | "dark", Palette>> = {
  light: {
    ...{ background: 231, selected: 254, dim: 240 },
    ...{ red: 124, green: 22, yellow: 58, blue: 19, magenta: 90, cyan: 24 },
  },
  dark: {
    ...{ background: 234, selected: 236, dim: 247 },
    ...{ red: 210, green: 114, yellow: 221, blue: 111, magenta: 176, cyan: 80 },
  },
};

/** The SGR numbers of the standard colors. */
const COLORS = new Map<number, keyof Palette>([
  ...([31, 91] as const).map((code) => [code, "red"] as const),
  ...([32, 92] as const).map((code) => [code, "green"] as const),
  ...([33, 93] as const).map((code) => [code, "yellow"] as const),
  ...([34, 94] as const).map((code) => [code, "blue"] as const),
  ...([35, 95] as const).map((code) => [code, "magenta"] as const),
  ...([36, 96] as const).map((code) => [code, "cyan"] as const),
  [90, "dim"],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
const SGR = /\x1b\[([0-9;]*)m/g;

/** The look that is known before the terminal reports its background. `COLORFGBG` ends with the number of the background's color. */
export function detectLook(
  theme: ThemeName,
  { TERM = "", COLORTERM = "", COLORFGBG = "" }: NodeJS.ProcessEnv,
): Look {
  const number = /;(\d+)$/.exec(COLORFGBG)?.[1];
  const background = number === undefined ? undefined : isLightColor(Number(number)) ? "light" : "dark";
  return { theme, background, has256Colors: /256|direct|kitty|truecolor|24bit/.test(`${TERM} ${COLORTERM}`) };
}

/** Of the sixteen standard colors, 7 and 9 to 15 are light. */
const isLightColor = (number: number): boolean => number === 7 || number > 8;

/** Whether the terminal's answer, which light and dark depend on, is still missing. */
export const needsBackground = ({ theme, background, has256Colors }: Look): boolean =>
  (theme === "auto" || theme === "ascii") && background === undefined && has256Colors;

/** The background that a color is, of three numbers from 0 to 255. */
export function toBackground({ r, g, b }: { r: number; g: number; b: number }): "light" | "dark" {
  return 0.299 * r + 0.587 * g + 0.114 * b > 127 ? "light" : "dark";
}

/** Colors a line. Its visible width stays the same. */
export function applyLook(line: string, look: Look): string {
  const { theme, background, has256Colors } = look;
  const marked = theme === "ascii" ? toAsciiMarks(line) : line;
  if (theme === "contrast") return recolor(marked, undefined);
  const name = theme === "light" || theme === "dark" ? theme : background;
  return name === undefined || !has256Colors ? marked : recolor(marked, PALETTES[name]);
}

/** Replaces colors; without a palette, removes them, and inverts backgrounds. */
function recolor(line: string, palette: Palette | undefined): string {
  let [isDim, color] = [false, undefined as keyof Palette | undefined];
  const toForeground = () => {
    const name = color ?? (isDim ? "dim" : undefined);
    return palette && name ? `38;5;${palette[name]}` : "39";
  };
  return line.replace(SGR, (_, numbers: string) => {
    const codes = numbers.split(";").map(Number);
    const out: (string | number)[] = [];
    for (let n = 0; n < codes.length; n++) {
      const code = codes[n] as number;
      if (code === 48 && codes[n + 1] === 5) {
        out.push(palette ? `48;5;${palette.selected}` : 7);
        n += 2;
      } else if (code === 49) out.push(palette ? 49 : 27);
      else if (code === 2 || code === 22) {
        const wasDim = isDim;
        isDim = code === 2;
        if (code === 22) out.push(22);
        if (isDim || wasDim) out.push(toForeground());
      } else if (code === 39 || COLORS.has(code)) {
        color = COLORS.get(code);
        out.push(toForeground());
      } else {
        if (code === 0) [isDim, color] = [false, undefined];
        out.push(code);
      }
    }
    return `\x1b[${out.join(";")}m`;
  });
}

/** ASCII for the marks and lines that pidex draws, each as wide as the original. */
const ASCII_MARKS: Readonly<Record<string, string>> = {
  ...{
    "›": ">",
    "▸": "+",
    "▾": "-",
    "✓": "*",
    "●": "@",
    "•": "o",
    "·": "-",
    "…": "~",
    "★": "*",
    "⚑": "^",
    "→": ">",
    "⚠": "!",
    "⑂": "Y",
  },
  ...{ "─": "-", "│": "|", "┃": "#", "├": "|", "└": "`", "┌": ".", "┐": ".", "┘": "'", "┤": "|", "┬": "-" },
  ...{ "“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "▌": "|", "█": "#", "×": "x" },
};
const MARKS = new RegExp(Object.keys(ASCII_MARKS).join("|"), "gu");

function toAsciiMarks(line: string): string {
  return line.replace(MARKS, (mark) => ASCII_MARKS[mark] ?? mark);
}
