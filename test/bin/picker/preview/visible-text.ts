import { stripVTControlCharacters } from "node:util";
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect } from "vitest";
import { measureWidth as columnsOf } from "../../../../bin/format/text.ts";
import { createTheme } from "../../../../bin/format/theme.ts";
import type { Entry, Message } from "../../../../library/index.ts";

export const coloredTheme = createTheme({});
export const plainTheme = createTheme({ NO_COLOR: "1" });

/** The visible text of lines. */
export function toVisibleText(lines: readonly string[]): string[] {
  return lines.map((line) => stripVTControlCharacters(line));
}

/** An entry of a message. */
export function messageEntry(message: Message | Record<string, unknown>): Entry {
  const timestamp = "2026-01-31T09:30:00.000Z";
  return { type: "message", id: "c0ffee01", timestamp, message: message as Message };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
const SGR = /\x1b\[([0-9;]+)m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
const CONTROL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u;

/** Asserts that lines fit, contain no control characters except styles, and end the styles they start. */
export function expectToFit(lines: readonly string[], width: number): void {
  for (const line of lines) {
    const visible = line.replace(SGR, "");
    const quoted = JSON.stringify(line.slice(0, 500));
    if (CONTROL.test(visible)) expect.fail(`control characters in ${quoted}`);
    const columns = Math.max(columnsOf(line), columnsOf(visible), visibleWidth(line));
    if (columns > width) expect.fail(`${columns} columns, not ${width}: ${quoted}`);
    if (stylesAfter(line).size > 0) expect.fail(`a style continues after ${quoted}`);
  }
}

const ENDS: Record<string, string> = { 1: "22", 2: "22", 3: "23", 4: "24", 7: "27", 9: "29" };

/** Styles that a line starts and does not end. */
function stylesAfter(line: string): Set<string> {
  const open = new Set<string>();
  for (const [, codes = ""] of line.matchAll(SGR)) {
    for (const code of codes.split(";")) {
      if (/^(?:3[0-7]|9[0-7])$/.test(code)) open.add("39");
      else if (code === "0") open.clear();
      else if (ENDS[code]) open.add(ENDS[code]);
      else open.delete(code);
    }
  }
  return open;
}
