import xterm from "@xterm/headless";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toSvg } from "../../docs/pictures/svg.ts";

const BACKGROUND = "#16181d";
const FOREGROUND = "#d8dae0";

/** The picture of a screen with this output. */
async function drawScreen(text: string, { cols = 20, rows = 2, title = "" } = {}): Promise<string> {
  const terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const svg = toSvg(terminal, { title });
  terminal.dispose();
  return svg;
}

/** The position of each text: column, text, and the other attributes of each `<tspan>`. */
function spansOf(svg: string): { column: number; text: string; look: string }[] {
  const spans = svg.matchAll(/<tspan x="([\d.]+)"(?: textLength="[\d.]+")?([^>]*)>([^<]*)<\/tspan>/g);
  return [...spans].map(([, x, look = "", text = ""]) => ({
    column: Number(x) / 8.4,
    text,
    look: look.trim(),
  }));
}

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

test("letters with one style are one run, and have the width of their columns in any font", async () => {
  const svg = await drawScreen("  two words  ");
  expect(svg).toContain('<text y="13"><tspan x="16.8" textLength="75.6">two words</tspan></text>');
  expect(spansOf(svg)).toHaveLength(1);
});

test("wide characters are separate runs, at their columns", async () => {
  const spans = spansOf(await drawScreen("a检b検c"));
  const columns = spans.map(({ column, text }) => [text, Math.round(column)]);
  expect(columns).toEqual([
    ["a", 0],
    ["检", 1],
    ["b", 3],
    ["検", 4],
    ["c", 6],
  ]);
});

test("a letter and its accents are one run", async () => {
  expect(spansOf(await drawScreen("xe\u0301y")).map(({ text }) => text)).toEqual(["x", "e\u0301", "y"]);
});

test("box-drawing characters are separate from letters, whose font may differ", async () => {
  const texts = spansOf(await drawScreen("──ab│→")).map(({ text }) => text);
  expect(texts).toEqual(["──", "ab", "│", "→"]);
});

test.each([
  ["\x1b[31mx", 'fill="#f0717c"'],
  ["\x1b[91mx", 'fill="#ff8f98"'],
  ["\x1b[38;5;196mx", 'fill="#ff0000"'],
  ["\x1b[38;5;244mx", 'fill="#808080"'],
  ["\x1b[38;2;1;2;3mx", 'fill="#010203"'],
  ["\x1b[1mx", 'font-weight="bold"'],
  ["\x1b[3mx", 'font-style="italic"'],
  ["\x1b[4mx", 'text-decoration="underline"'],
  ["\x1b[4;9mx", 'text-decoration="underline line-through"'],
  ["\x1b[2mx", 'fill="#8a8c92"'],
  ["x", ""],
])("%j looks like %s", async (text, look) => {
  expect(spansOf(await drawScreen(text))[0]?.look).toBe(look);
});

test("a background is one rectangle behind all of its cells, including blanks", async () => {
  const svg = await drawScreen("a\x1b[44m b  \x1b[0mc");
  expect(svg.match(/<rect x="\d/g)).toHaveLength(1);
  expect(svg).toContain('<rect x="8.4" y="0" width="33.6" height="17" fill="#6cb0f5"');
});

test("inverse swaps the colors", async () => {
  const svg = await drawScreen("\x1b[7mx");
  expect(spansOf(svg)[0]?.look).toBe(`fill="${BACKGROUND}"`);
  expect(svg).toContain(`width="8.4" height="17" fill="${FOREGROUND}"`);
});

test("invisible text is omitted, and underlined text is included, even if blank", async () => {
  expect(spansOf(await drawScreen("\x1b[8msecret"))).toEqual([]);
  expect(spansOf(await drawScreen("\x1b[4m  "))[0]?.text).toBe("\u00a0\u00a0");
});

test("only the visible screen is in the picture", async () => {
  const svg = await drawScreen("one\r\ntwo\r\nthree", { rows: 2 });
  expect(spansOf(svg).map(({ text }) => text)).toEqual(["two", "three"]);
});

test("the title is in the title bar and in the accessible name, escaped", async () => {
  const svg = await drawScreen("x", { title: 'a <b> & "c"\u0007' });
  expect(svg).toContain("<title>a &lt;b&gt; &amp; &quot;c&quot;\ufffd</title>");
  expect(svg).toContain('aria-label="a &lt;b&gt; &amp; &quot;c&quot;\ufffd"');
});

test("for any output, the picture has its characters in order, and is valid XML", async () => {
  const printable = fc.string({ unit: fc.constantFrom(..."ab <>&\"'é─→检ｶ📌"), maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(printable, async (text) => {
      const svg = await drawScreen(text, { cols: 40, rows: 1 });
      const shown = spansOf(svg).map((span) => unescaped(span.text));
      const joined = (each: string) => each.replaceAll(/[ \u00a0]/g, "");
      expect(joined(shown.join(""))).toBe(joined(text));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(svg).not.toMatch(/[\0-\x08\x0b-\x1f]|&(?!(?:amp|lt|gt|quot);)/);
    }),
    { numRuns: 300 },
  );
});
