import fc from "fast-check";
import { expect, test } from "vitest";
import { isSafe } from "../../../safe.ts";
import { extractText, messageEntry, parseTags, renderHtml, renderMarkdown } from "./render.tsx";

const ELEMENTS = new Set(
  `a article blockquote br code dd del details div dl dt em figure h2 h3 h4 h5 header hr img ins li mark ol p pre s span
  strong summary table tbody td th thead time tr ul`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `alt aria-label class data-found data-line datetime decoding dir href loading open rel role scope src start tabindex target title`.split(
    " ",
  ),
);

/** Conditions for all generated HTML. */
function expectHarmless(html: string): void {
  // Every tag is a known element, and no text looks like a tag.
  expect(html.match(/<(?![a-z/])/g)).toBeNull();
  for (const { name, attributes } of parseTags(html)) {
    expect(ELEMENTS, name).toContain(name);
    for (const [key, value] of Object.entries(attributes)) {
      expect(ATTRIBUTES, key).toContain(key.toLowerCase());
      if (key === "href") expect(value).toMatch(/^(?:https?:|mailto:)/);
      if (key === "target") expect(attributes.rel).toBe("noreferrer noopener");
    }
    expect(attributes.src).toBeUndefined();
  }
  expect(html.match(/<[a-z]/g)).toHaveLength(parseTags(html).length);
  expect(isSafe(html)).toBe(true);
}

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><style>*{color:red}</style></svg>",
  "<!-- --><iframe srcdoc='<script>alert(1)</script>'>",
  "<details open ontoggle=alert(1)>",
  "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](java&#115;cript:alert(1)) [d](\u0001javascript:alert(1))",
  "[a](data:text/html,<script>alert(1)</script>) [b](vbscript:x) [c](file:///etc/passwd) [d](//evil.example/x)",
  "![a](https://evil.example/track.png) ![b](data:image/svg+xml,<svg onload=alert(1)>)",
  "<javascript:alert(1)> <data:text/html,hi>",
  '[a](https://example.org/" onmouseover="alert(1)) ![x](" onerror="alert(1))',
  '[a]: javascript:alert(1) "t"\n\n[a] [a][] ![a][]',
  '```html"><script>alert(1)</script>\n<script>alert(2)</script>\n```',
  "```ts onload=alert(1)\n</code></pre><script>alert(1)</script>\n```",
  "| a | b |\n| --- | --- |\n| <b onclick=alert(1)> | ]]><script> |",
  "style=expression(alert(1)) </style><style>@import 'https://evil.example'</style>",
  "\u202etxt.exe \u2066hidden\u2069 \u200f \x1b[2J\x1b]0;title\x07 \0 \x9b31m \ud800",
])("%j is text", (text) => {
  expectHarmless(renderMarkdown(text));
  const everywhere = [
    renderHtml(messageEntry("user", text)),
    renderHtml(
      messageEntry("toolResult", [{ type: "text", text }], {
        toolName: text,
        details: { diff: `+${text}\n-${text}` },
      }),
    ),
    renderHtml(messageEntry("bashExecution", null, { command: text, output: text, exitCode: 1 })),
    renderHtml(
      messageEntry("assistant", [{ type: "thinking", thinking: text }], { model: text, errorMessage: text }),
    ),
    renderHtml(
      messageEntry("assistant", [
        { type: "toolCall", id: text, name: text, arguments: { [text]: text, path: text } },
      ]),
    ),
    renderHtml(
      messageEntry("assistant", [
        { type: text, text },
        { type: "image", mimeType: text, data: text },
      ]),
    ),
    renderHtml(messageEntry(text, text)),
    renderHtml(messageEntry("custom", text, { customType: text })),
    renderHtml({ type: text, [text]: { [text]: text } }),
    renderHtml({ type: "compaction", summary: text, timestamp: text }),
    renderHtml({ type: "label", label: text, targetId: text }),
    renderHtml({ type: "session_info", name: text }),
    renderHtml({ type: "model_change", provider: text, modelId: text }),
    renderHtml(messageEntry("user", text), { found: text }),
  ];
  for (const html of everywhere) expectHarmless(html);
});

test("any Markdown becomes text and known elements", () => {
  const signs = fc.constantFrom(
    ..."<>\"'&`*_[]()!|~#-=:/\\\n\t \u202e\x1b".split(""),
    "javascript:",
    "https://a.b",
    "<script>",
    "```",
    "![",
    "](",
    "data:",
    "- [x] ",
    "| --- |\n",
    "> ",
    "onerror=",
    "x",
  );
  const text = fc.array(fc.oneof(signs, fc.string({ maxLength: 3, unit: "binary" })), { maxLength: 60 });
  fc.assert(
    fc.property(text, (parts) => {
      expectHarmless(renderMarkdown(parts.join("")));
      expectHarmless(renderHtml(messageEntry("user", parts.join("")), { found: parts.join(" ") }));
    }),
    { numRuns: 300 },
  );
});

test("any entry can be rendered", () => {
  const content = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.record({ type: fc.constantFrom("text", "toolCall", "x"), text: fc.string() })),
  );
  const entry = fc.oneof(
    fc.record({ type: fc.string(), data: fc.jsonValue() }),
    fc.record({
      type: fc.constant("message"),
      message: fc.record({ role: fc.string(), content: fc.jsonValue() }),
    }),
    fc.record({ type: fc.constantFrom("custom", "context_compaction"), data: content }),
  );
  fc.assert(
    fc.property(entry, (one) => expectHarmless(renderHtml(one))),
    { numRuns: 200 },
  );
});

test.each([
  ["one line of 10 MB", "x".repeat(10_000_000)],
  ["10 MB of lines", "ab\n".repeat(3_300_000)],
  ["marks that open and never close", "*a _b `c [d ".repeat(100_000)],
  ["brackets", "[".repeat(60_000)],
  ["many brackets in lines", `${"[".repeat(200)}\n`.repeat(300)],
  ["quotes in quotes", `${">".repeat(30_000)} a`],
  ["lists in lists", Array.from({ length: 1000 }, (_, n) => `${" ".repeat(n * 2)}- a`).join("\n")],
  ["backticks of every length", Array.from({ length: 300 }, (_, n) => "`".repeat(n)).join(" ")],
  ["a table of many cells", `|${"a|".repeat(2000)}\n|${"-|".repeat(2000)}\n|${"b|".repeat(2000)}`],
  ["links that never end", "[a](".repeat(15_000)],
  ["references", Array.from({ length: 5000 }, (_, n) => `[r${n}]: x`).join("\n")],
  ["letters with a thousand marks", `a${"\u0301".repeat(50_000)}`],
])("%s: its start is shown", (_, text) => {
  for (const html of [
    renderMarkdown(text),
    renderHtml(messageEntry("toolResult", text)),
    renderHtml({ type: "x", text }),
  ]) {
    expectHarmless(html.slice(0, html.lastIndexOf("<", 3000)));
    expect(html.length).toBeLessThan(1_700_000);
  }
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "__defineGetter__"])(
  "%s is a name like any other",
  (name) => {
    // Parsed from JSON: in an object literal, the first one would not be an own field.
    const args = JSON.parse(`{${JSON.stringify(name)}: "an argument", "command": "ls"}`);
    const call = { type: "toolCall", id: name, name, arguments: args };
    const html = renderHtml(messageEntry("assistant", [call], { model: name, provider: name }), {
      results: [
        messageEntry("toolResult", [{ type: "text", text: "put out" }], { toolName: name, toolCallId: name }),
      ],
    });
    expectHarmless(html);
    for (const text of [name, "an argument", "put out"]) expect(extractText(html)).toContain(text);
    const asTitle = new RegExp(name, "i");
    expect(extractText(renderHtml(messageEntry(name, "hello")))).toMatch(asTitle);
    expect(extractText(renderHtml({ type: name, data: args }))).toMatch(asTitle);
    expect(extractText(renderHtml(messageEntry("custom", "hello", { customType: name })))).toMatch(asTitle);
    expect(extractText(renderHtml(messageEntry("assistant", [{ type: name, text: "hello" }])))).toMatch(
      asTitle,
    );
    expectHarmless(
      renderMarkdown(`\`\`\`${name}\na\n\`\`\`\n\n[a][${name}]\n\n[${name}]: https://example.org`),
    );
  },
);

test("deeply nested JSON is shown as far as possible", () => {
  let deep: unknown = "end";
  for (let n = 0; n < 50_000; n++) deep = [deep];
  expect(extractText(renderHtml({ type: "x", deep }))).toContain("…");
  const call = { type: "toolCall", name: "t", arguments: { deep } };
  expect(extractText(renderHtml(messageEntry("assistant", [call])))).toContain("…");
});
