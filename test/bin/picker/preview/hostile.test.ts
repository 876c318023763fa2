import { closeSync, fstatSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderEntry } from "../../../../bin/picker/preview/entry-lines.ts";
import type { Entry } from "../../../../library/index.ts";
import { INITIAL_READ_STATE, readSession } from "../../../../src/session/read.ts";
import { coloredTheme, expectToFit, messageEntry, plainTheme, toVisibleText } from "./visible-text.ts";

/** Entries of every kind that contain the text. */
function entriesWith(text: string): Entry[] {
  const args = { path: text, oldText: text, newText: `${text}\nmore`, [text]: [text] };
  const patch = `*** Begin Patch\n*** Update File: ${text}\n@@\n-${text}\n+b`;
  return [
    messageEntry({ role: "user", content: text, model: text }),
    messageEntry({
      role: "assistant",
      model: text,
      errorMessage: text,
      content: [
        { type: "text", text },
        { type: "thinking", thinking: text },
        { type: "toolCall", name: text, arguments: { command: text, [text]: text } },
        { type: "toolCall", name: "edit", arguments: args },
        { type: "toolCall", name: "write", arguments: { path: text, content: text } },
        { type: "toolCall", name: "apply_patch", arguments: { input: patch } },
        { type: "image", mimeType: text, data: text },
      ],
    }),
    messageEntry({
      role: "toolResult",
      toolName: text,
      content: text,
      details: { diff: `-${text}` },
      isError: true,
    }),
    messageEntry({ role: "bashExecution", command: text, output: text, exitCode: 1 }),
    messageEntry({ role: text, content: text }),
    { type: "custom_message", id: text, customType: text, content: text, timestamp: text },
    { type: "compaction", id: text, summary: text },
    { type: "custom", customType: text, data: { [text]: text } },
    { type: "label", targetId: text, label: text },
    { type: "session_info", name: text },
    { type: text } as Entry,
  ];
}

function expectAllToFit(entries: readonly Entry[], width: number): void {
  for (const entry of entries) {
    for (const unfolded of [false, true]) {
      expectToFit(renderEntry(entry, { width, theme: coloredTheme, isExpanded: unfolded }), width);
    }
  }
}

const ODD = [
  "\u001b[31mred\u001b[0m \u001b[2J\u001b[H",
  "\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u001b_Ga=T;AAAA\u001b\\",
  "\u001b]1337;File=inline=1:AAAA\u0007",
  "abc\u202edcba\u2066x\u2069\u200f",
  "a\u0000b\u0007c\bd\re\u007f",
  "\u009b31mC1\u009d8;;x\u009c",
  "\ud800 lone \udfff\ud83d",
  "\u2028line\u2029paragraph\ufeff",
  "[x](\u001b]8;;y\u0007) `\u001b[31m` **\u009b31m** <\u001b[1m>",
  "👩‍👩‍👧‍👦🇩🇪🇩 ☺️ © ©️ 👍🏽 1️⃣ 漢字かなカナ한국어 ﾊﾟ",
  "க்ஷி हिन्दी ำ ກຳ ၥါ \u0600٣ ᄀᄀᄀ각ᆨᆨ",
  `Z${"\u0301\u0489".repeat(300)}algo ${"\u200d".repeat(500)} ${"\u0bbe".repeat(300)}`,
  "\ufdd0![a](b)\n[c]: d",
  "\ttabs\t\tand\ttabs",
  "x".repeat(3000),
  "漢".repeat(3000),
  "- ".repeat(100),
  `${">".repeat(3000)} deep`,
  "| a |\n|-|\n| 漢字 👍🏽 b |",
  "```\u001b[31m\n\u001b[31mcode\n",
  "@@ -1 +1 @@\n-\u001b[31m\n+\u009b1m",
];

describe.each(ODD.map((text) => [JSON.stringify(text).slice(0, 40), text]))("%s", (_, text) => {
  test.each([10, 40, 80])("is drawn as plain text in a pane of %i columns", (width) => {
    expectAllToFit(entriesWith(text), width);
  });
});

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc
    .array(fc.oneof(fc.constantFrom(...ODD.map((text) => text.slice(0, 200))), fc.string()), { maxLength: 6 })
    .map((all) => all.join("")),
  fc
    .array(
      fc.constantFrom(
        "*",
        "_",
        "`",
        "[",
        "](",
        ")",
        "|",
        "\n",
        "- ",
        "> ",
        "# ",
        "1. ",
        "~~",
        "    ",
        "a",
        "漢",
        "\t",
        "<b>",
        "$",
        "\\",
        "|-|",
      ),
      { maxLength: 40 },
    )
    .map((all) => all.join("")),
);

test("any text fits any pane, without control characters", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 10, max: 90 }), (text, width) => {
      expectAllToFit(entriesWith(text), width);
    }),
    { numRuns: 120 },
  );
});

test("an expanded text loses no word", () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 60 });
  const joined = (lines: readonly string[]) => toVisibleText(lines).join(" ").split(/\s+/).filter(Boolean);
  fc.assert(
    fc.property(
      words,
      fc.constantFrom(" ", "\n", "\n\n"),
      fc.integer({ min: 10, max: 90 }),
      (all, blank, width) => {
        const text = all.join(blank);
        for (const message of [
          { role: "user", content: text },
          { role: "assistant", content: [{ type: "thinking", thinking: text }] },
          { role: "toolResult", toolName: "t", content: text },
        ]) {
          const lines = renderEntry(messageEntry(message), {
            width,
            theme: coloredTheme,
            isExpanded: true,
          }).slice(1);
          expect(joined(lines)).toEqual(all);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("ten megabytes are shown from the start, with the size of the rest", () => {
  const line = "lorem ipsum ".repeat(850_000);
  const lines = renderEntry(messageEntry({ role: "user", content: line }), {
    width: 80,
    theme: plainTheme,
    isExpanded: true,
  });
  expect(toVisibleText(lines).at(-1)).toBe("… 10.0 MB more");
  expect(lines.length).toBeLessThan(3000);
  expectToFit(lines, 80);
  const output = messageEntry({
    role: "toolResult",
    toolName: "t",
    content: line.replaceAll("ipsum ", "ipsum\n"),
  });
  const all = renderEntry(output, { width: 80, theme: plainTheme, isExpanded: true });
  expect(toVisibleText(all).at(-1)).toBe("… 845,000 more lines");
  expect(toVisibleText(renderEntry(output, { width: 80, theme: plainTheme, isExpanded: false })).at(-1)).toBe(
    "… 849,994 more lines",
  );
  for (const each of entriesWith(line)) {
    for (const unfolded of [false, true])
      expectToFit(renderEntry(each, { width: 40, theme: plainTheme, isExpanded: unfolded }), 40);
  }
});

test.each(["*a ", "[", "` `` ", "_a", "$$\n", "<!--", "[a](", "*a b\n", "> *a\n", "- *a "])(
  "text that takes a Markdown parser minutes is shown without parsing: %j",
  (piece) => {
    const text = piece.repeat(200_000 / piece.length);
    const lines = renderEntry(messageEntry({ role: "user", content: text }), {
      width: 80,
      theme: plainTheme,
      isExpanded: true,
    });
    expectToFit(lines, 80);
    const half = `${text.slice(0, 30_000)}\n\nand **more**`;
    const both = renderEntry(messageEntry({ role: "user", content: half }), {
      width: 80,
      theme: plainTheme,
      isExpanded: true,
    });
    expect(toVisibleText(both).at(-1)).toBe("and more");
  },
);

test("very deeply nested values are shown up to the limit", () => {
  let value: unknown = "end";
  for (let n = 0; n < 20_000; n++) value = { in: [value] };
  const call = { type: "toolCall", name: "t", arguments: { value } };
  expectAllToFit([messageEntry({ role: "assistant", content: [call] }), { type: "custom", data: value }], 40);
});

const ROOTS = join(import.meta.dirname, "../../../../fixtures/roots");
const FIXTURES = readdirSync(ROOTS, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".jsonl"),
);

test.each([20, 40, 80, 120])("sessions of all agents fit %i columns", (width) => {
  expect(FIXTURES.length).toBeGreaterThan(40);
  for (const name of FIXTURES) {
    expectAllToFit(entriesOf(join(ROOTS, name)), width);
  }
});

function entriesOf(path: string): Entry[] {
  const file = openSync(path, "r");
  try {
    const lines = readSession(file, { ...INITIAL_READ_STATE }, fstatSync(file).size);
    return [...lines].flatMap(({ entry }) => entry ?? []);
  } finally {
    closeSync(file);
  }
}
