import { setCapabilityOverrides } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { formatDateTime } from "../../../../bin/format/times.ts";
import { renderEntry } from "../../../../bin/picker/preview/entry-lines.ts";
import type { Entry } from "../../../../library/index.ts";
import { coloredTheme, expectToFit, messageEntry, plainTheme, toVisibleText } from "./visible-text.ts";

const TIME = formatDateTime(new Date("2026-01-31T09:30:00.000Z"));

function linesBelowHeading(entry: Entry, { width = 60, unfolded = false } = {}): string[] {
  const lines = renderEntry(entry, { width, theme: coloredTheme, isExpanded: unfolded });
  expectToFit(lines, width);
  const plain = renderEntry(entry, { width, theme: plainTheme, isExpanded: unfolded });
  expectToFit(plain, width);
  expect(toVisibleText(plain)).toEqual(toVisibleText(lines));
  return toVisibleText(lines);
}

/** The lines below the heading. */
function body(message: Record<string, unknown>, options?: { width?: number; unfolded?: boolean }): string[] {
  return linesBelowHeading(messageEntry(message), options).slice(1);
}

test("a message's heading has author, time, model and id, as far as they fit", () => {
  const entry = messageEntry({ role: "assistant", content: "Done.", model: "opus-5" });
  expect(linesBelowHeading(entry)).toEqual([`assistant  ${TIME} · opus-5 · c0ffee01`, "Done."]);
  expect(linesBelowHeading(entry, { width: 38 })).toEqual([`assistant  ${TIME} · opus-5`, "Done."]);
  expect(linesBelowHeading(entry, { width: 28 })).toEqual([`assistant  ${TIME}`, "Done."]);
  expect(linesBelowHeading(entry, { width: 10 })).toEqual(["assistant", "Done."]);
});

test("text is rendered as Markdown", () => {
  const text = [
    "# Tax",
    "Added **twice**, see `total()` and [the rule](https://tax.example/rule).",
    "",
    "1) once",
    "* [x] never",
    "",
    "> so it is",
    "",
    "| what | how much |",
    "| - | - |",
    "| 書 | 3 |",
    "",
    "```ts",
    "\tlet tax = 1;",
    "```",
  ].join("\n");
  expect(body({ role: "user", content: [{ type: "text", text }] }, { width: 40 })).toEqual([
    "Tax",
    "",
    "Added twice, see total() and the rule",
    "(https://tax.example/rule).",
    "",
    "1) once",
    "* [x] never",
    "",
    "│ so it is",
    "",
    "┌──────┬──────────┐",
    "│ what │ how much │",
    "├──────┼──────────┤",
    "│ 書   │ 3        │",
    "└──────┴──────────┘",
    "",
    "```ts",
    "      let tax = 1;",
    "```",
  ]);
});

test("rendering Markdown loses no text", () => {
  const text =
    "C:\\_x \\* $5 and $x^2$ \\alpha <b>hi</b>\n\n[later]: soon\n\n![shot](a.png) [n][1]\n\n[1]: http://a.b";
  expect(body({ role: "user", content: text })).toEqual([
    "C:\\_x \\* $5 and $x^2$ \\alpha <b>hi</b>",
    "",
    "[later]: soon",
    "",
    "!shot (a.png) [n][1]",
    "",
    "[1]: http://a.b",
  ]);
});

test("links contain no escape sequences, whatever the terminal supports", () => {
  setCapabilityOverrides({ hyperlinks: true });
  const lines = renderEntry(messageEntry({ role: "user", content: "[here](https://a.example)" }), {
    width: 60,
    theme: plainTheme,
    isExpanded: false,
  });
  expect(lines.at(-1)).toBe("\u001b[4mhere\u001b[24m\u001b[2m (https://a.example)\u001b[22m");
});

test("images are described, not drawn", () => {
  const content = [{ type: "image", mimeType: "image/png", data: "A".repeat(1648) }];
  expect(body({ role: "user", content })).toEqual(["[image image/png, 1236 bytes]"]);
});

test("folded thinking is one line", () => {
  const content = [{ type: "thinking", thinking: "one\ntwo\n" }];
  expect(body({ role: "assistant", content })).toEqual(["thinking, 2 lines"]);
  expect(body({ role: "assistant", content }, { unfolded: true })).toEqual(["one", "two"]);
  expect(body({ role: "assistant", content: [{ type: "thinking", thinking: "" }] })).toEqual([]);
});

test("a folded call is one line, an expanded one has its arguments", () => {
  const args = { command: "echo 'a'\necho b", timeout: 60, env: { A: "x", list: [1, "two"] }, none: {} };
  const content = [
    { type: "text", text: "Let me see." },
    { type: "toolCall", name: "bash", arguments: args },
    { type: "toolCall", name: "ls", arguments: {} },
  ];
  expect(body({ role: "assistant", content })).toEqual([
    "Let me see.",
    "",
    "→ bash echo 'a' echo b",
    "→ ls {}",
  ]);
  expect(body({ role: "assistant", content }, { unfolded: true })).toEqual([
    "Let me see.",
    "",
    "→ bash",
    "  command:",
    "    echo 'a'",
    "    echo b",
    "  timeout: 60",
    "  env:",
    "    A: x",
    "    list:",
    "      0: 1",
    "      1: two",
    "  none: {}",
    "",
    "→ ls",
  ]);
});

test("the path of a call is relative to the session's folder, and cut at its start", () => {
  const call = (path: string, width: number) =>
    toVisibleText(
      renderEntry(
        messageEntry({
          role: "assistant",
          content: [{ type: "toolCall", name: "read", arguments: { path } }],
        }),
        { width, theme: plainTheme, isExpanded: false, folder: "/home/ada/shop/" },
      ),
    ).slice(1);
  expect(call("/home/ada/shop/src/tax.ts", 40)).toEqual(["→ read src/tax.ts"]);
  expect(call("/home/ada/shopping/tax.ts", 40)).toEqual(["→ read /home/ada/shopping/tax.ts"]);
  expect(call("/home/ada/shop/src/prices/tax.ts", 20)).toEqual(["→ read …rices/tax.ts"]);
});

test("an edit shows its numbers of changed lines, and its diff when expanded", () => {
  const args = { path: "src/tax.ts", oldText: "a\nb\nc\n", newText: "a\nB\nB2\nc\n", all: true };
  const content = [{ type: "toolCall", name: "edit", arguments: args }];
  expect(body({ role: "assistant", content })).toEqual(["→ edit src/tax.ts  +2 -1"]);
  expect(body({ role: "assistant", content }, { width: 10 })).toEqual(["→ edit sr…"]);
  expect(body({ role: "assistant", content }, { unfolded: true })).toEqual([
    "→ edit src/tax.ts  +2 -1",
    "  all: true",
    " a",
    "-b",
    "+B",
    "+B2",
    " c",
  ]);
  const lines = renderEntry(messageEntry({ role: "assistant", content }), {
    width: 60,
    theme: coloredTheme,
    isExpanded: true,
  });
  expect(lines).toContain("\u001b[31m-b\u001b[39m");
  expect(lines).toContain("\u001b[32m+B\u001b[39m");
});

test("folded output is its first lines", () => {
  const text = `${Array.from({ length: 130 }, (_, n) => `line ${n} ${"x".repeat(100)}`).join("\n")}\n`;
  const message = { role: "toolResult", toolName: "read", content: [{ type: "text", text }] };
  const folded = body(message);
  expect(folded.length).toBe(7);
  expect(folded[0]).toMatch(/^line 0 x+…$/);
  expect(folded.at(-1)).toBe("… 124 more lines");
  expect(body(message, { unfolded: true, width: 120 }).length).toBe(130);
});

test("the number of lines of an output is limited", () => {
  const output = "y\n".repeat(7000);
  const lines = body({ role: "bashExecution", command: "yes", output }, { unfolded: true });
  expect(lines.length).toBe(5002);
  expect(lines.at(-1)).toBe("… 2,000 more lines");
});

test("failed commands are marked, in red", () => {
  const failed = messageEntry({ role: "toolResult", toolName: "bash", content: "no", isError: true });
  expect(linesBelowHeading(failed)).toEqual([`bash failed  ${TIME} · c0ffee01`, "no"]);
  expect(renderEntry(failed, { width: 60, theme: coloredTheme, isExpanded: false })[1]).toBe(
    "\u001b[31mno\u001b[39m",
  );
  const command = messageEntry({ role: "bashExecution", command: "false", output: "", exitCode: 1 });
  expect(linesBelowHeading(command)).toEqual([`bash failed  ${TIME} · c0ffee01`, "$ false"]);
  expect(body({ role: "assistant", content: [], errorMessage: "overloaded" })).toEqual(["error: overloaded"]);
});

test("a result's diff is shown; if folded, from just above the first change", () => {
  const diff = [" 1 a", " 2 b", " 3 c", "-4 d", "+4 D", " 5 e"].join("\n");
  const message = { role: "toolResult", toolName: "edit", content: "Replaced.", details: { diff } };
  expect(body(message)).toEqual(["Replaced.", " 3 c", "-4 d", "+4 D", " 5 e"]);
  expect(body(message, { unfolded: true })).toEqual(["Replaced.", ...diff.split("\n")]);
});

test("a diff with line numbers before its signs is colored too", () => {
  const details = { diff: "  1   a\n  2   b\n  3   c\n  4 - d\n  4 + D" };
  const entry = messageEntry({ role: "toolResult", toolName: "edit", content: "", details });
  expect(renderEntry(entry, { width: 60, theme: coloredTheme, isExpanded: false }).slice(1)).toEqual([
    "  3   c",
    "\u001b[31m  4 - d\u001b[39m",
    "\u001b[32m  4 + D\u001b[39m",
  ]);
});

test("a single line is not omitted", () => {
  const output = (count: number) => Array.from({ length: count }, (_, n) => String(n)).join("\n");
  expect(body({ role: "toolResult", content: output(7) }).at(-1)).toBe("6");
  expect(body({ role: "toolResult", content: output(8) }).at(-1)).toBe("… 2 more lines");
});

test("output that is a unified diff is colored as a diff", () => {
  const content = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n same";
  const entry = messageEntry({ role: "toolResult", toolName: "bash", content });
  expect(renderEntry(entry, { width: 60, theme: coloredTheme, isExpanded: false }).slice(1)).toEqual([
    "\u001b[1m--- a/x\u001b[22m",
    "\u001b[1m+++ b/x\u001b[22m",
    "\u001b[36m@@ -1,2 +1,2 @@\u001b[39m",
    "\u001b[31m-old\u001b[39m",
    "\u001b[32m+new\u001b[39m",
    " same",
  ]);
});

test("summaries and custom messages are rendered as Markdown too", () => {
  const summary = "**All** of it";
  expect(linesBelowHeading({ type: "compaction", id: "1", summary })).toEqual([
    "compaction  ? · 1",
    "All of it",
  ]);
  expect(linesBelowHeading({ type: "branch_summary", id: "1", summary })).toEqual([
    "branch summary  ? · 1",
    "All of it",
  ]);
  expect(linesBelowHeading({ type: "session_summary", id: "1", summary })).toEqual([
    "session summary  ? · 1",
    "All of it",
  ]);
  expect(
    linesBelowHeading({ type: "custom_message", id: "1", customType: "note", content: summary }),
  ).toEqual(["custom note  ? · 1", "All of it"]);
  expect(body({ role: "compactionSummary", summary })).toEqual(["All of it"]);
});

test("changes of model, name and so on are one line", () => {
  const name: Entry = { type: "session_info", name: "Tax" };
  const label: Entry = { type: "label", targetId: "1", label: "x" };
  expect(linesBelowHeading(name, { unfolded: true })).toEqual(["· named Tax"]);
  expect(linesBelowHeading(label, { unfolded: true })).toEqual(["· label x on 1"]);
  // Metadata is no part of the conversation.
  const pin: Entry = { type: "custom", customType: "pidex", data: { pinned: true } };
  for (const metadata of [name, label, pin]) expect(linesBelowHeading(metadata)).toEqual([]);
  expect(
    linesBelowHeading({ type: "model_change", provider: "p", modelId: "m".repeat(99) }, { width: 20 }),
  ).toEqual(["· model p/mmmmmmmmm…"]);
  expect(linesBelowHeading({ type: "message" })).toEqual(["· unreadable message"]);
});

test("entries with only details are empty when folded, and show their fields when expanded", () => {
  const state: Entry = { type: "custom", id: "1", customType: "todo", data: { open: 2 } };
  expect(linesBelowHeading(state)).toEqual([]);
  expect(linesBelowHeading(state, { unfolded: true })).toEqual([
    "custom todo  ? · 1",
    "{",
    '  "customType": "todo",',
    '  "data": {',
    '    "open": 2',
    "  }",
    "}",
  ]);
  expect(linesBelowHeading(messageEntry({ role: "system", content: "You are" }))).toEqual([]);
  expect(
    linesBelowHeading(messageEntry({ role: "system", content: "You are" }), { unfolded: true }).slice(1),
  ).toEqual(["You are"]);
  expect(linesBelowHeading(messageEntry({ role: "ghost", x: 1 }))).toEqual([]);
});
