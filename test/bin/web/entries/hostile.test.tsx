import fc from "fast-check";
import { expect, test } from "vitest";
import { isSafe } from "../../../../bin/format/safe.ts";
import { drawn, prose, said, tagsIn, textIn } from "./drawn.tsx";

const ELEMENTS = new Set(
  `a article blockquote br code dd del details div dl dt em figure h2 h3 h4 h5 header hr img ins li mark ol p pre s span
  strong summary table tbody td th thead time tr ul`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `alt aria-label class datetime decoding dir href loading open rel role scope src start tabindex target title`.split(
    " ",
  ),
);

/** Conditions for all generated HTML. */
function expectHarmless(html: string): void {
  // Every tag is a known element, and no text looks like a tag.
  expect(html.match(/<(?![a-z/])/g)).toBeNull();
  for (const { name, attributes } of tagsIn(html)) {
    expect(ELEMENTS, name).toContain(name);
    for (const [key, value] of Object.entries(attributes)) {
      expect(ATTRIBUTES, key).toContain(key.toLowerCase());
      if (key === "href") expect(value).toMatch(/^(?:https?:|mailto:)/);
      if (key === "target") expect(attributes.rel).toBe("noreferrer noopener");
    }
    expect(attributes.src).toBeUndefined();
  }
  expect(html.match(/<[a-z]/g)).toHaveLength(tagsIn(html).length);
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
  expectHarmless(prose(text));
  const everywhere = [
    drawn(said("user", text)),
    drawn(
      said("toolResult", [{ type: "text", text }], {
        toolName: text,
        details: { diff: `+${text}\n-${text}` },
      }),
    ),
    drawn(said("bashExecution", null, { command: text, output: text, exitCode: 1 })),
    drawn(said("assistant", [{ type: "thinking", thinking: text }], { model: text, errorMessage: text })),
    drawn(
      said("assistant", [
        { type: "toolCall", id: text, name: text, arguments: { [text]: text, path: text } },
      ]),
    ),
    drawn(
      said("assistant", [
        { type: text, text },
        { type: "image", mimeType: text, data: text },
      ]),
    ),
    drawn(said(text, text)),
    drawn(said("custom", text, { customType: text })),
    drawn({ type: text, [text]: { [text]: text } }),
    drawn({ type: "compaction", summary: text, timestamp: text }),
    drawn({ type: "label", label: text, targetId: text }),
    drawn({ type: "session_info", name: text }),
    drawn({ type: "model_change", provider: text, modelId: text }),
    drawn(said("user", text), { found: text }),
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
      expectHarmless(prose(parts.join("")));
      expectHarmless(drawn(said("user", parts.join("")), { found: parts.join(" ") }));
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
    fc.property(entry, (one) => expectHarmless(drawn(one))),
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
  for (const html of [prose(text), drawn(said("toolResult", text)), drawn({ type: "x", text })]) {
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
    const html = drawn(said("assistant", [call], { model: name, provider: name }), {
      results: [
        said("toolResult", [{ type: "text", text: "put out" }], { toolName: name, toolCallId: name }),
      ],
    });
    expectHarmless(html);
    for (const text of [name, "an argument", "put out"]) expect(textIn(html)).toContain(text);
    const asTitle = new RegExp(name, "i");
    expect(textIn(drawn(said(name, "hello")))).toMatch(asTitle);
    expect(textIn(drawn({ type: name, data: args }))).toMatch(asTitle);
    expect(textIn(drawn(said("custom", "hello", { customType: name })))).toMatch(asTitle);
    expect(textIn(drawn(said("assistant", [{ type: name, text: "hello" }])))).toMatch(asTitle);
    expectHarmless(prose(`\`\`\`${name}\na\n\`\`\`\n\n[a][${name}]\n\n[${name}]: https://example.org`));
  },
);

test("deeply nested JSON is shown as far as possible", () => {
  let deep: unknown = "end";
  for (let n = 0; n < 50_000; n++) deep = [deep];
  expect(textIn(drawn({ type: "x", deep }))).toContain("…");
  const call = { type: "toolCall", name: "t", arguments: { deep } };
  expect(textIn(drawn(said("assistant", [call])))).toContain("…");
});
