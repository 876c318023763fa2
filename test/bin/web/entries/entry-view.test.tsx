import { renderToString } from "preact-render-to-string";
import { expect, test } from "vitest";
import { ExportHighlighting } from "../../../../bin/web/export/export-highlighting.ts";
import { markMatches } from "../../../../bin/web/page/entries/code.tsx";
import { extractText, messageEntry, parseTags, renderHtml, renderMarkdown } from "./render.tsx";

const names = (html: string) => parseTags(html).map(({ name }) => name);

test("prose is markdown", () => {
  const html = renderMarkdown(
    "# A\n\ntext **bold** `code`\n\n1. one\n   - two\n\n> q\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\n~~s~~",
  );
  for (const name of ["h3", "strong", "code", "ol", "ul", "li", "blockquote", "table", "th", "td", "s"])
    expect(names(html)).toContain(name);
  expect(html).toContain('class="to-right"');
});

test("open and completed tasks are distinguishable without color", () => {
  const html = renderMarkdown("- [ ] red\n- [x] green\n- [y] neither");
  expect(parseTags(html).flatMap(({ attributes }) => attributes["aria-label"] ?? [])).toEqual([
    "to do",
    "done",
  ]);
  expect(extractText(html)).toContain("[y] neither");
  expect(extractText(html)).not.toContain("[x]");
});

test("a web link opens in an isolated tab; any other URL is shown as text", () => {
  const [link] = parseTags(renderMarkdown("[here](https://example.org/a?b=c)")).filter(
    ({ name }) => name === "a",
  );
  expect(link?.attributes).toMatchObject({
    href: "https://example.org/a?b=c",
    target: "_blank",
    rel: "noreferrer noopener",
  });
  expect(extractText(renderMarkdown("[here](./file.ts)"))).toContain("here (./file.ts)");
});

test("a remote image is a link and never loaded", () => {
  const html = renderMarkdown("![a cat](https://example.org/cat.png)");
  expect(names(html)).not.toContain("img");
  expect(extractText(html)).toContain("[picture: a cat]");
});

const call = (name: string, args: object, id = "c1") => ({ type: "toolCall", id, name, arguments: args });
const result = (text: string, more: object = {}) =>
  messageEntry("toolResult", [{ type: "text", text }], { toolCallId: "c1", ...more });

test("a call is one line with its subject and outcome", () => {
  const entry = messageEntry("assistant", [call("bash", { command: "npm test" })]);
  const summaryOf = (html: string) => extractText(/<summary>.*?<\/summary>/s.exec(html)?.[0] ?? "");
  expect(summaryOf(renderHtml(entry))).toContain("bash npm test");
  expect(renderHtml(entry)).toContain('aria-label="no result"');
  const done = renderHtml(entry, { results: [result("12 passed")] });
  expect(done).toContain('aria-label="done"');
  expect(extractText(done)).toContain("12 passed");
  expect(renderHtml(entry, { results: [result("no", { isError: true })] })).toContain('aria-label="failed"');
});

test("an edit shows the numbers of added and removed lines, and a diff", () => {
  const args = { path: "a.ts", oldText: "one\ntwo", newText: "one\nthree\nfour" };
  const html = renderHtml(messageEntry("assistant", [call("edit", args)]));
  expect(extractText(html)).toContain("+2");
  expect(extractText(html)).toContain("−1");
  expect(lineTexts(html)).toEqual([" one\n", "-two\n", "+three\n", "+four\n"]);
});

test("an edit that changes nothing has no empty diff", () => {
  const args = { path: "a.ts", edits: [{ oldText: "one", newText: "one" }] };
  const html = renderHtml(messageEntry("assistant", [call("edit", args)]), {
    results: [result("No changes made", { isError: true, details: { diff: "" } })],
  });
  expect(html).not.toContain("diff-lines");
  expect(extractText(html)).toContain("No changes made");
});

test("a diff in the result is shown instead of one from the arguments", () => {
  const args = { path: "a.ts", oldText: "old", newText: "new" };
  const html = renderHtml(messageEntry("assistant", [call("edit", args)]), {
    results: [result("ok", { details: { diff: "-7 old\n+7 new" } })],
  });
  expect(lineTexts(html)).toEqual(["-7 old\n", "+7 new\n"]);
});

test("a match in lines that a recorded diff leaves out is shown", () => {
  const args = { path: "a.ts", oldText: "needle\nold", newText: "needle\nnew" };
  const render = (diff: string) =>
    renderHtml(messageEntry("assistant", [call("edit", args)]), {
      results: [result("ok", { details: { diff } })],
      found: "needle",
    });
  expect(render("-7 old\n+7 new").match(/<mark>/g)).toHaveLength(2); // in both arguments
  expect(render(" 6 needle\n-7 old\n+7 new").match(/<mark>/g)).toHaveLength(1);
});

/** The lines of a diff. */
const lineTexts = (html: string) =>
  [...html.matchAll(/<(ins|del|span class="diff-kept")>.*?\n<\/span><\/\w+>/gs)].map(([line]) =>
    extractText(line),
  );

test("the changed words of a line are marked, unless it contains a search term", () => {
  const args = { path: "a.ts", oldText: "const rate = 0.19;", newText: "const rate = 0.07;" };
  const entry = messageEntry("assistant", [call("edit", args)]);
  const words = (html: string) =>
    [...html.matchAll(/<span class="diff-word">(.*?)<\/span>/g)].map(([, word]) => word);
  expect(words(renderHtml(entry))).toEqual(["19", "07"]);
  expect(words(renderHtml(entry, { found: "other" }))).toEqual(["19", "07"]);
  const found = renderHtml(entry, { found: "rate" });
  expect(words(found)).toEqual([]);
  expect(found).toContain("<mark>rate</mark>");
});

test("a diff is highlighted in the language of its file, and keeps its text", async () => {
  const highlighting = new ExportHighlighting();
  const patch = [
    "*** Update File: a.ts",
    "@@",
    " const kept = `",
    "-const old = 1;",
    "+const new = 2;",
    "*** Update File: b.py",
    "-def old():",
    "+def new():",
  ].join("\n");
  const entry = messageEntry("assistant", [call("apply_patch", { input: patch })]);
  const render = () => renderHtml(entry, { highlighting });
  render();
  await highlighting.load();
  const html = render();
  expect(html).toContain('<span class="code-keyword">const</span>');
  expect(html).toContain('<span class="code-keyword">def</span>');
  expect(extractText(html)).toContain(`${patch}\n`);
});

test("code and diffs keep their colors where a search term is found, and each match is one mark", async () => {
  const highlighting = new ExportHighlighting();
  const code = "const rate = 1;\nconst other = rate;";
  const written = messageEntry("assistant", [{ type: "text", text: `\`\`\`ts\n${code}\n\`\`\`` }]);
  const edited = messageEntry("assistant", [call("edit", { path: "a.ts", oldText: "x", newText: code })]);
  for (const entry of [written, edited]) {
    const render = () => renderHtml(entry, { highlighting, found: "rate" });
    render();
    await highlighting.load();
    const html = render();
    expect(html).toContain('<span class="code-keyword">const</span>');
    expect(html.match(/<mark>/g)?.length).toBe(2);
    expect(extractText(html)).toContain("const other = rate;");
  }
  const spanning = renderToString(
    <code>
      {markMatches([["let "], ["rate", "constant"], [" = "], ["1", "constant"], [";"]], /et rate = |;/g)}
    </code>,
  );
  expect(spanning).toBe(
    '<code>l<mark>et <span class="code-constant">rate</span> = </mark><span class="code-constant">1</span><mark>;</mark></code>',
  );
});

test("a result without a matching call is shown", () => {
  const html = renderHtml(messageEntry("assistant", [call("x", {})]), {
    results: [result("stray", { toolCallId: "other" })],
  });
  expect(extractText(html)).toContain("stray");
});

test("long output is folded, and complete", () => {
  const lines = Array.from({ length: 50 }, (_, n) => `line ${n + 1}`);
  const html = renderHtml(messageEntry("toolResult", lines.join("\n")));
  expect(extractText(html)).toContain("Show all 50 lines");
  expect(html.slice(0, html.indexOf("<details"))).not.toContain("line 13");
  for (const line of lines) expect(extractText(html)).toContain(line);
});

test("terminal colors are removed, other control sequences are made visible", () => {
  expect(
    extractText(renderHtml(messageEntry("toolResult", "\x1b[1;31mred\x1b[0m \x07bell \x1b]8;;http://x\x07"))),
  ).toContain("red ␇bell ␛]8;;");
});

test("an image has its URL and alternative text", () => {
  const entry = messageEntry("user", [
    { type: "text", text: "see" },
    { type: "image", mimeType: "image/png", data: "aaaa" },
  ]);
  const html = renderHtml(entry, { links: { image: (line, block) => `/image/${line}/${block}` } });
  const [image] = parseTags(html).filter(({ name }) => name === "img");
  expect(image?.attributes).toMatchObject({ src: "/image/2/1", alt: "PNG image in the session, line 2" });
  expect(extractText(renderHtml(entry))).toContain("[image image/png, 3 bytes]");
});

test("a response shows its model, cost, tokens and time", () => {
  const usage = { input: 1200, output: 340, cacheRead: 20_000, cost: { total: 0.0231 } };
  const text = extractText(renderHtml(messageEntry("assistant", "hello", { model: "claude", usage })));
  for (const fact of ["claude", "$0.0231", "21.2K in, 340 out"]) expect(text).toContain(fact);
  expect(renderHtml(messageEntry("assistant", "hi"))).toContain('datetime="2026-01-02T03:04:05.000Z"');
});

test.each([
  ["a compaction", { type: "compaction", summary: "**done**" }, "Compaction"],
  ["a branch summary", { type: "branch_summary", summary: "s" }, "Branch summary"],
  ["a session summary", { type: "session_summary", summary: "s" }, "Session summary"],
  ["a message of an extension", { type: "custom_message", customType: "plan", content: "s" }, "Custom plan"],
  ["a change of the model", { type: "model_change", provider: "a", modelId: "b" }, "model a/b"],
  ["a level of thinking", { type: "thinking_level_change", thinkingLevel: "high" }, "thinking high"],
  ["a name", { type: "session_info", name: "n" }, "named n"],
  ["a label", { type: "label", label: "l", targetId: "t" }, "label l on t"],
  ["an unknown type", { type: "new_thing", field: 1 }, '"field": 1'],
  ["an unknown role", messageEntry("newRole", "hi"), '"newRole"'],
  ["an unknown block", messageEntry("assistant", [{ type: "video", url: "u" }]), "video"],
  ["an error", messageEntry("assistant", [], { errorMessage: "overloaded" }), "overloaded"],
  [
    "a command that failed",
    messageEntry("bashExecution", null, { command: "ls", output: "no", exitCode: 2 }),
    "exit code 2",
  ],
  ["an unreadable message", { type: "message" }, "unreadable message"],
])("%s is shown", (_, entry, words) => {
  expect(extractText(renderHtml(entry))).toContain(words);
});

test("thinking is folded unless it contains a search term", () => {
  const entry = messageEntry("assistant", [{ type: "thinking", thinking: "maybe a needle" }]);
  expect(renderHtml(entry)).toMatch(/<details class="thinking"(?! open)/);
  const found = renderHtml(entry, { found: "needle" });
  expect(found).toMatch(/<details[^>]* open/);
  expect(found).toContain("<mark>needle</mark>");
});

test("words to highlight may contain any characters", () => {
  expect(renderHtml(messageEntry("user", "a C++ (x) b"), { found: "c++ (x" })).toContain(
    "<mark>C++</mark> <mark>(x</mark>)",
  );
});
