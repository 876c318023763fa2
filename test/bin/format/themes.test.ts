import { stripVTControlCharacters, styleText } from "node:util";
import { describe, expect, test } from "vitest";
import { measureWidth } from "../../../bin/format/text.ts";
import { createTheme } from "../../../bin/format/theme.ts";
import {
  applyLook,
  detectLook,
  type Look,
  needsBackground,
  PALETTES,
  toBackground,
} from "../../../bin/format/themes.ts";

const LEVELS = [0, 95, 135, 175, 215, 255];

/** Red, green and blue of a number of the 256-color palette, from 16 on. */
function toRgb(color: number): number[] {
  if (color >= 232) return Array(3).fill(8 + 10 * (color - 232));
  const at = color - 16;
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((level) => LEVELS[level] as number);
}

/** Relative luminance as WCAG defines it. */
function luminance(color: number): number {
  const [r = 0, g = 0, b = 0] = toRgb(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: number, other: number): number {
  const [a, b] = [luminance(one) + 0.05, luminance(other) + 0.05];
  return Math.max(a, b) / Math.min(a, b);
}

describe.each(Object.entries(PALETTES))("the %s theme", (_, { background, selected, ...colors }) => {
  test.each(Object.entries(colors))("%s has a contrast of 4.5 or more", (_, color) => {
    expect(contrast(color, background)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(color, selected)).toBeGreaterThanOrEqual(4.5);
  });
});

test("a light theme has light backgrounds", () => {
  expect(luminance(PALETTES.light.background)).toBeGreaterThan(0.7);
  expect(luminance(PALETTES.light.selected)).toBeGreaterThan(0.7);
  expect(luminance(PALETTES.dark.background)).toBeLessThan(0.05);
  expect(luminance(PALETTES.dark.selected)).toBeLessThan(0.05);
});

const style = (format: Parameters<typeof styleText>[0], text: string) =>
  styleText(format, text, { validateStream: false });
const look = (theme: Look["theme"], background?: "light" | "dark"): Look => ({
  theme,
  background,
  has256Colors: true,
});

test("standard colors are replaced, and other styles stay", () => {
  const { cyan, dim, selected, yellow } = PALETTES.dark;
  expect(applyLook(style(["bold", "cyan"], "a"), look("dark"))).toBe(
    `\x1b[1m\x1b[38;5;${cyan}ma\x1b[39m\x1b[22m`,
  );
  expect(applyLook(style("dim", "a"), look("dark"))).toBe(`\x1b[38;5;${dim}ma\x1b[22;39m`);
  expect(applyLook("\x1b[7;33ma\x1b[27;39m", look("auto", "dark"))).toBe(
    `\x1b[7;38;5;${yellow}ma\x1b[27;39m`,
  );
  expect(applyLook("\x1b[48;5;253ma\x1b[49m", look("dark"))).toBe(`\x1b[48;5;${selected}ma\x1b[49m`);
  // After a color within faint text, the text is faint again.
  expect(applyLook("\x1b[2ma\x1b[36mb\x1b[39mc\x1b[22md", look("dark"))).toBe(
    `\x1b[38;5;${dim}ma\x1b[38;5;${cyan}mb\x1b[38;5;${dim}mc\x1b[22;39md`,
  );
});

test("auto keeps the terminal's own colors until its background is known, and without 256 colors", () => {
  const line = style("cyan", "a");
  expect(applyLook(line, look("auto"))).toBe(line);
  expect(applyLook(line, look("auto", "light"))).toContain(`38;5;${PALETTES.light.cyan}`);
  expect(applyLook(line, { ...look("light"), has256Colors: false })).toBe(line);
});

test("the contrast theme has no colors and no faint text", () => {
  const line = `${style("dim", "a")}${style(["bold", "red"], "b")}\x1b[48;5;253mc\x1b[49m`;
  expect(applyLook(line, look("contrast"))).toBe(
    "\x1b[39ma\x1b[22;39m\x1b[1m\x1b[39mb\x1b[39m\x1b[22m\x1b[7mc\x1b[27m",
  );
});

test("the ASCII theme replaces marks by ASCII of the same width, and keeps other text", () => {
  const line = "›✓ ★ ⚑2 ├─ └─ │ café 漢字 … “x” · ●•";
  const drawn = applyLook(line, look("ascii"));
  expect(drawn).toBe('>* * ^2 |- `- | café 漢字 ~ "x" - @o');
  expect(measureWidth(drawn)).toBe(measureWidth(line));
});

test.each([
  [{ COLORFGBG: "15;0", TERM: "xterm-256color" }, "dark", true],
  [{ COLORFGBG: "0;default;15", COLORTERM: "truecolor" }, "light", true],
  [{ COLORFGBG: "0;7", TERM: "xterm" }, "light", false],
  [{ COLORFGBG: "default;default", TERM: "xterm-direct" }, undefined, true],
  [{ TERM: "xterm-kitty" }, undefined, true],
  [{}, undefined, false],
] as const)("%o: the background is %s", (env, background, has256Colors) => {
  const detected = detectLook("auto", env);
  expect(detected).toEqual({ theme: "auto", background, has256Colors });
  expect(needsBackground(detected)).toBe(background === undefined && has256Colors);
});

test("a color is a light or a dark background", () => {
  expect(toBackground({ r: 253, g: 246, b: 227 })).toBe("light");
  expect(toBackground({ r: 40, g: 42, b: 54 })).toBe("dark");
});

test("no theme changes the text or its width, except for marks", () => {
  const theme = createTheme({});
  const line = `${theme.style(["bold", "yellow"], "héllo")} ${theme.style("dim", "12 of 40")}`;
  for (const name of ["auto", "light", "dark", "contrast", "ascii"] as const)
    expect(stripVTControlCharacters(applyLook(line, look(name, "dark")))).toBe("héllo 12 of 40");
});
