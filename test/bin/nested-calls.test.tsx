/** The calls that a script made, and the fields that pi 0.99 and later record, as displayed on each surface. */
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createTheme } from "../../bin/format/theme.ts";
import { renderEntry } from "../../bin/picker/preview/entry-lines.ts";
import { argumentLanguages } from "../../bin/web/page/entries/arguments.tsx";
import { type Session, session } from "../../fixtures/builder.ts";
import { freightRate } from "../../fixtures/stories/codemode.ts";
import type { Entry } from "../../library/index.ts";
import { isSafe } from "../safe.ts";
import { temporaryFolder } from "../temporary.ts";
import { agentIndex } from "./agents/agent-index.ts";
import { pidexAt } from "./cli.ts";
import { expectToFit } from "./picker/preview/visible-text.ts";
import { renderHtml } from "./web/entries/render.tsx";

const ID = freightRate().id;

function over() {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  freightRate().writeUnder(root);
  return pidexAt(root, folder);
}

/** The calls of the second script in every plain-text format. */
const CALLS = [
  "→ edit src/freight-rates.ts (6ms)",
  "→ write src/generated/rates.ts (arguments of 27,040 bytes not recorded, 1ms)",
  '→ audit {"folder":"ledger"} (1s)',
  "  → grep ledger (17ms)",
  "  → powershell Get-Content .\\ledger\\2026.csv | Set-Content audit\\copy.csv (not finished)",
  "The record of these calls is incomplete.",
];
const FAILED = [
  "→ read src/vat.ts (failed, 2ms)",
  "  ENOENT: no such file or directory, access '/home/ada/till/src/vat.ts'",
];

const holdInOrder = (text: string, lines: readonly string[]): void => {
  let from = 0;
  for (const line of lines) {
    expect(text.slice(from)).toContain(line);
    from = text.indexOf(line, from) + line.length;
  }
};

test("pidex show", async () => {
  const { out } = await over()(["show", ID]);
  holdInOrder(out, [...FAILED, "Script completed", ...CALLS, "Script completed"]);
  expect(out).toMatch(/assistant .* · gpt-5\.2 · thinking high · 4s\n/);
  expect(out).toMatch(/codemode .* · 1s\n/);
});

test("pidex show --full, with their arguments", async () => {
  const { out } = await over()(["show", ID, "--full"]);
  holdInOrder(out, ["→ edit", '"newText": "0.20"', "→ grep", '"pattern": "zeroRated"']);
});

test("pidex show folds long lists", async () => {
  const calls = Array.from({ length: 30 }, (_, n) => ({
    id: `c/${n + 1}`,
    name: "read",
    status: "ok",
    arguments: { path: `${n}.ts` },
  }));
  const folder = temporaryFolder();
  const root = join(folder, "root");
  session({ id: "many" })
    .user("Read all.")
    .tool("codemode", { code: "x" }, "done", { nestedCalls: { calls, complete: true } })
    .writeUnder(root);
  const run = pidexAt(root, folder);
  const { out } = await run(["show", "many"]);
  expect(out).toContain("→ read 7.ts\n… 22 more calls\n");
  expect((await run(["show", "many", "--full"])).out).toContain("29.ts");
});

test("control sequences and markup in calls have no effect on terminals and pages", async () => {
  const odd = "\u001b[31mred\u0007 \u202e<b>x</b>\t\r\nnext\u0000";
  const deep = Array.from({ length: 40 }, (_, n) => `c${"/1".repeat(n + 1)}`);
  const calls = deep.map((id) => ({
    id,
    name: odd,
    status: "error",
    error: odd.repeat(9),
    arguments: { command: odd, [odd]: odd },
  }));
  const talk = session({ id: "odd" })
    .user("Do it.")
    .tool("codemode", { code: "x" }, "done", { nestedCalls: { calls, complete: false } });
  const result = talk.entries[2] as unknown as Entry;
  for (const unfolded of [false, true]) {
    for (const width of [10, 40, 120])
      expectToFit(renderEntry(result, { width, theme: createTheme({}), isExpanded: unfolded }), width);
  }
  const folder = temporaryFolder();
  talk.writeUnder(join(folder, "root"));
  const run = pidexAt(join(folder, "root"), folder);
  for (const argv of [
    ["show", "odd"],
    ["show", "odd", "--full"],
    ["tree", "odd", "--all"],
    ["export", "odd", "--format", "md"],
  ]) {
    const { out } = await run(argv);
    expect(isSafe(out), argv.join(" ")).toBe(true);
  }
  expect(renderHtml(talk.entries[1] as object, { results: [result] })).not.toContain("<b>x");
});

test("pidex tree: a script's row shows its calls instead of its output", async () => {
  const { out } = await over()(["tree", ID, "--all"]);
  expect(out).toMatch(/output\s.*read src\/freight-rates\.ts bash grep -n 19/);
});

test("pidex files and usage", async () => {
  const run = over();
  expect((await run(["files", "freight-rates.ts"])).out).toContain("edit");
  expect((await run(["usage", "--since", "2020-01-01", "--by", "tool"])).out).toMatch(/powershell\s/);
});

test("the picker's preview", () => {
  const result = freightRate().entries[6] as unknown as Entry;
  const lines = (unfolded: boolean) =>
    renderEntry(result, { width: 120, theme: createTheme({}), isExpanded: unfolded })
      .map(stripVTControlCharacters)
      .join("\n");
  holdInOrder(lines(false), [...CALLS, "Script completed"]);
  expect(lines(false)).toMatch(/^codemode .* · 1s/);
  holdInOrder(lines(true), ["→ edit", "newText", "→ grep"]);
});

test("the page: each call with its outcome, folded, the failed one with its error", () => {
  const entries = freightRate().entries as unknown as Entry[];
  const html = renderHtml(entries[3] as object, { results: [entries[4] as object] });
  holdInOrder(html, [
    "freight-rates.ts",
    "grep -n 19 src/invoice.ts",
    "src/vat.ts",
    "ENOENT",
    "Script completed",
  ]);
  expect(html).toContain('aria-label="failed"');
  expect(html).toContain("thinking high");
  const other = renderHtml(entries[5] as object, { results: [entries[6] as object] });
  holdInOrder(other, [
    '<span class="diff-word">20</span>',
    "27,040 bytes",
    "Get-Content",
    "The record of these calls is incomplete.",
  ]);
});

test("the page: a folded call shows that calls made in it failed", () => {
  const entries = freightRate().entries as unknown as Entry[];
  const folded = (call: number) => {
    const html = renderHtml(entries[call] as object, { results: [entries[call + 1] as object] });
    return /<summary>(?:(?!<\/summary>).)*call-name">codemode.*?<\/summary>/s.exec(html)?.[0] ?? "";
  };
  expect(folded(3)).toContain("1 of 3 calls failed");
  expect(folded(3)).toContain('aria-label="done, but nested calls failed"');
  expect(folded(3)).not.toContain("✓");
  // An unfinished call is not a failure: the script may have ended without it.
  expect(folded(5)).not.toContain("failed");
  expect(folded(5)).toContain('aria-label="done"');
});

/** A script with a given number of calls, of which the last one failed. */
function lastFails(count: number): Session {
  const calls = Array.from({ length: count }, (_, n) => ({
    id: `c/${n + 1}`,
    name: "read",
    status: n === count - 1 ? "error" : "ok",
    arguments: { path: `${n}.ts` },
  }));
  return session({ id: "many" })
    .user("Read all.")
    .tool("codemode", { code: "x" }, "done", { nestedCalls: { calls, complete: true } });
}

test("a folded failed call is reported in the picker, in pidex show, and on the page", async () => {
  const talk = lastFails(30);
  const result = talk.entries[2] as unknown as Entry;
  const preview = renderEntry(result, { width: 80, theme: createTheme({}), isExpanded: false });
  expect(preview.map(stripVTControlCharacters).join("\n")).toMatch(/… \d\d more calls, 1 failed/);
  const folder = temporaryFolder();
  talk.writeUnder(join(folder, "root"));
  const { out } = await pidexAt(join(folder, "root"), folder)(["show", "many"]);
  expect(out).toContain("→ read 7.ts\n… 22 more calls, 1 failed\n");
  expect(renderHtml(talk.entries[1] as object, { results: [result] })).toContain("1 of 30 calls failed");
});

test("the page highlights search terms in them", () => {
  const entries = freightRate().entries as unknown as Entry[];
  const html = renderHtml(entries[5] as object, { results: [entries[6] as object], found: "zeroRated" });
  expect(html).toContain("<mark>zeroRated</mark>");
});

test("an export as Markdown, and as a page", async () => {
  const run = over();
  const md = (await run(["export", ID, "--format", "md"])).out;
  holdInOrder(md, ["read", "src/vat.ts", "ENOENT", "zeroRated", "The record of these calls is incomplete."]);
  expect((await run(["export", ID])).out).toContain("zeroRated");
});

test("the text for agents, and the listed files", async () => {
  const { agents } = await agentIndex([freightRate()]);
  const { text } = await agents.request("read", {
    session: ID,
    from: "start",
    max_tokens: 6_000,
    redact: false,
  });
  holdInOrder(text, [
    ...FAILED,
    "→ edit path: src/freight-rates.ts; edits:",
    "→ write src/generated/rates.ts (arguments of 27,040 bytes not recorded, 1ms)",
    "→ grep pattern: zeroRated; path: ledger (17ms)",
    CALLS.at(-1) as string,
    "Script completed",
  ]);
  const touched = await agents.request("touching", { file: "vat.ts" });
  expect(touched.text).toContain("read /home/ada/till/src/vat.ts by read (failed)");
});

test.each<[string, Record<string, unknown>, [string, string][]]>([
  ["powershell", { command: "Get-Content a.ts" }, [["command", "powershell"]]],
  ["bash", { command: "cat a.ts" }, [["command", "bash"]]],
  ["codemode", { code: "text(1)" }, [["code", "javascript"]]],
  ["codemode", { code: 5 }, []],
])("the page highlights the arguments of %s, %j", (tool, args, languages) => {
  expect([...argumentLanguages(tool, args)]).toEqual(languages);
});
