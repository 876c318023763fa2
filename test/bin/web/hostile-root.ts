/** Hostile sessions: every text that an entry can have tries to make the page run, load or show something. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolCall } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";

/** The function that every injected script calls. */
const RUN = "window.hostile=1;document.title='hostile';alert(1)";
/** An address that must not be requested. */
const ELSEWHERE = "https://hostile.example";

/** The page never uses this class: an element with it is injected. */
export const INJECTED_CLASS = "theirs";

export const ATTACKS: readonly string[] = [
  `<script class=${INJECTED_CLASS}>${RUN}</script>`,
  `"><img class="${INJECTED_CLASS}" src=x onerror="${RUN}">`,
  `'><svg class=${INJECTED_CLASS} onload="${RUN}"><script>${RUN}</script><use href="data:image/svg+xml,<svg id=x onload=${RUN}>#x"/></svg>`,
  `<iframe class=${INJECTED_CLASS} srcdoc="<script>parent.hostile=1</script>"></iframe><object data="${ELSEWHERE}"></object>`,
  `<style class=${INJECTED_CLASS}>@import '${ELSEWHERE}/a.css'; * { background: url(${ELSEWHERE}/b.png) }</style></style>`,
  `<b class=${INJECTED_CLASS} style="position:fixed;inset:0;background:url(${ELSEWHERE})" onmouseover="${RUN}">b</b>`,
  `<meta class=${INJECTED_CLASS} http-equiv=refresh content="0;url=${ELSEWHERE}"><base href="${ELSEWHERE}"><link rel=stylesheet href=${ELSEWHERE}>`,
  `[a](javascript:${RUN}) [b](JaVaScRiPt:${RUN}) [c](java&#115;cript:${RUN}) [d](\u0001javascript:${RUN}) [e](vbscript:x)`,
  `[a](data:text/html,<script>${RUN}</script>) <javascript:${RUN}> javascript:${RUN} data:text/html,<b>`,
  `![a](${ELSEWHERE}/a.png) ![b](data:image/svg+xml,<svg/onload=${RUN}>) [![c](${ELSEWHERE}/c.png)](javascript:${RUN}) ![![x](y)](z)`,
  `[r]: javascript:${RUN} "t"\n[s]: <data:text/html,x>\n\n[r] [r][] ![r][] [t][s] [^1]\n\n[^1]: <b class=${INJECTED_CLASS}>note</b>`,
  `<div class=${INJECTED_CLASS}>\n\n# In *markup*\n\n</div>\n\n<!-- -->\n<details class=${INJECTED_CLASS} open ontoggle="${RUN}">x</details>`,
  `\`\`\`html class="${INJECTED_CLASS}" onload=${RUN}\n</code></pre><script class=${INJECTED_CLASS}>${RUN}</script>\n\`\`\`\n\n\`\`\`__proto__\nx\n\`\`\``,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as templates have it
  "{{constructor.constructor('window.hostile=1')()}} ${window.hostile=1} <%= 1 %> #{1}",
  "\u202egnp.exe\u2066 \u200f\u061c \x1b[2J\x1b]0;hostile\x07 \0 \x9b31m \ud800 \udfff \ufeff\u2028\u2029 a\u0301\u0301\u0301",
];

/** Texts that take long to parse, or have many parts. */
const HEAVY: readonly string[] = [
  `${">".repeat(1000)} quotes\n\n${Array.from({ length: 1000 }, (_, n) => `${" ".repeat(n * 2)}- a`).join("\n")}`,
  `|${"a|".repeat(300)}\n|${"-|".repeat(300)}\n|${`<i class=${INJECTED_CLASS}>b|`.repeat(300)}`,
  "[".repeat(100_000),
  "*a ".repeat(33_000),
];

export const PROTOTYPE_NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "then",
  "ref",
  "key",
];

/** Ids with a meaning in addresses, markup, or file systems. */
export const ODD_IDS = [
  "a/b",
  "..",
  ".",
  "../../etc/passwd",
  "100%",
  "%2e%2e%2f",
  "a?b=c",
  "a#b",
  `"'\`<b>`,
  "ключ 🔑 e\u0301",
  "\u202eid",
  "__proto__",
  "constructor",
  "javascript:alert(1)",
  "//hostile.example",
  "\\\\hostile.example\\x",
  "a b+c&d=e",
  "x".repeat(5000),
];

const HUGE = { input: 1e308, output: -5, cacheRead: 2 ** 53, cacheWrite: 0.5, totalTokens: -1 };
const USAGES: readonly object[] = [
  { ...HUGE, cost: { input: 1e308, output: -1, cacheRead: 0, cacheWrite: 0, total: 1e308 } },
  { ...HUGE, cost: { total: -1e15 } },
  { input: "<b>", output: null, cost: { total: "NaN" } },
  { input: {}, cost: [] },
];
const TIMES = [
  "-271821-04-20T00:00:00.000Z",
  "+275760-09-13T00:00:00.000Z",
  "9999-99-99",
  "<b>",
  "0000-01-01T00:00:00Z",
  "",
];

/** Data that claims to be an image, but is not a displayable one. */
const INVALID_IMAGES = [
  [
    "image/svg+xml",
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"/>`).toString("base64"),
  ],
  ["image/png", Buffer.from(`<script>${RUN}</script>`).toString("base64")],
  ["image/png", "=== no base64 \u202e <"],
  ["text/html", Buffer.from(`<script>${RUN}</script>`).toString("base64")],
  [`image/png" onerror="${RUN}`, "AAAA"],
  ["image/gif", ""],
] as const;

/** One text in every field that an entry has. */
function addToEveryField(talk: Session, text: string, n: number): void {
  const short = text.slice(0, 3000);
  talk.user(text, { id: `q${n}` });
  talk.message({
    role: "assistant",
    content: [
      { type: "thinking", thinking: short },
      { type: "text", text: short },
    ],
    provider: short,
    model: short,
    usage: USAGES[n % USAGES.length],
    stopReason: short,
    errorMessage: short,
  });
  talk.tool(short, { [short]: short, path: short, command: short }, short, {
    details: { diff: `+${short}\n-${short}` },
  });
  talk.tool("edit", { path: short, oldText: short, newText: `${short}!` }, short, { isError: true });
  talk.tool("write", { path: `${short}.html`, content: short }, [{ type: short, [short]: short }]);
  talk.bash(short, short, { exitCode: 1 });
  talk.message({ role: short, content: short, display: short });
  talk.message({ role: "custom", customType: short, content: short, display: true });
  talk.entry({ type: short, [short]: { [short]: short } });
  talk.custom(short, { [short]: [short] }).customMessage(short, short);
  talk.model(short, short).thinking(short).usage(short, { input: 1, output: 1 }, { note: short });
  talk.model("anthropic", "claude-sonnet-4-5");
  talk.compaction(short, `q${n}`).label(`q${n}`, short).name(short);
  talk.custom("pidex", { tags: [short.slice(0, 300), short.slice(0, 20)], pinned: n % 2 === 0 });
}

/** A session with the text in every field, and with branches. */
function createAttackSession(): Session {
  const talk = session({ id: "hostile", cwd: `/home/${ATTACKS[1]}/<b class=${INJECTED_CLASS}>shop` });
  ATTACKS.forEach((text, n) => {
    addToEveryField(talk, text, n);
  });
  for (const text of HEAVY) talk.user(text).tool("bash", { command: text }, text);
  for (const [mimeType, data] of INVALID_IMAGES) talk.user([{ type: "image", mimeType, data }]);
  for (const timestamp of TIMES)
    talk.entry({ type: "message", timestamp, message: { role: "user", content: "when?" } });
  talk.raw("{ broken <script>").raw(`{"type":"message","message":{"role":"user","content":"${"\x01"}"}}`);
  talk.name(`${ATTACKS[0]} named`);
  const { lastId } = talk;
  talk.user("Another way?").branchSummary(lastId, ATTACKS[0] as string);
  return talk.branch(lastId).user(ATTACKS.join("\n\n")).label(talk.lastId, ATTACKS[0]);
}

/** Names of Object.prototype, in every place that has names. */
function createPrototypeSession(): Session {
  const talk = session({
    id: "prototypes",
    cwd: "/home/ada/__proto__",
    timestamp: "2026-01-06T09:00:00.000Z",
  });
  for (const name of PROTOTYPE_NAMES) {
    const args = JSON.parse(
      `{"${name}":{"${name}":"inner"},"__proto__":{"hostile":true},"constructor":{"prototype":{"hostile":1}}}`,
    );
    talk.tool(name, args, `from ${name}`, { details: args });
    talk.model(name, name).message({
      role: "assistant",
      content: [{ type: name, text: name }, toolCall(name, name, args)],
      provider: name,
      model: name,
      usage: { input: 10, output: 5, cost: { total: 0.01 } },
    });
    talk.model("anthropic", "claude-sonnet-4-5");
    talk.message({ role: name, content: name }).entry({ type: name, [name]: name });
    talk.message({ role: "custom", customType: name, content: name }).label(talk.lastId, name);
    talk.name(name).custom("pidex", { tags: PROTOTYPE_NAMES });
    talk.raw(
      `{"__proto__":{"type":"message"},"type":"${name}","id":"${name}","parentId":"${talk.lastId}","timestamp":"x"}`,
    );
  }
  return talk;
}

export interface HostileRoot {
  /** Number of sessions. */
  count: number;
}

/** Writes all hostile sessions below a folder. */
export function writeHostileRoot(root: string): HostileRoot {
  const folder = join(root, "--home-ada-hostile--");
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
  const attacks = createAttackSession();
  write("attacks.jsonl", attacks.bytes());
  write("prototypes.jsonl", createPrototypeSession().bytes());
  // A fork and a subagent session, for hostile links and cards.
  const fork = attacks.fork({ id: "fork <b>", leaf: "q2", parentSession: join(folder, "attacks.jsonl") });
  write("fork.jsonl", fork.user("on").bytes());
  const run = session({ id: "run <b>", cwd: attacks.cwd })
    .user(ATTACKS[0] as string)
    .assistant(ATTACKS[1] as string);
  const runPath = run.write(join(folder, "runs", "a", "b", "session.jsonl"));
  const parent = session({ id: "starter" }).user("Have it looked into.");
  parent.tool("subagent", { agent: ATTACKS[0] }, "ok", {
    details: { results: [{ agent: "a", sessionFile: runPath }] },
  });
  write("starter.jsonl", parent.assistant("It was.").bytes());
  ODD_IDS.forEach((id, n) => {
    const oddId = session({
      id,
      cwd: `/home/ada/<b class=${INJECTED_CLASS}>${n}`,
      timestamp: "2026-01-04T09:00:00.000Z",
    });
    const target = n % 2 === 0 ? id : `entry ${id}`;
    write(
      `odd-${n}.jsonl`,
      oddId.user(`odd number ${n}`, { id: target }).assistant("Yes.").label(target, id).bytes(),
    );
  });
  const long = session({ id: "long", timestamp: "2026-01-03T09:00:00.000Z" })
    .user("Begin.")
    .name("n".repeat(100_000));
  const large = `<p class=${INJECTED_CLASS}>${"x".repeat(10 << 20)}`;
  write(
    "long.jsonl",
    long
      .assistant(large)
      .tool("bash", { command: "c".repeat(100_000) }, large)
      .bytes(),
  );
  write("halves.jsonl", session({ id: "\\ud800" }).user("h").text().replaceAll("\\\\ud800", "\\ud800"));
  write(
    `name"<img class=${INJECTED_CLASS} src=x>&.jsonl`,
    session({ id: "named" }).user("by its file").raw("{").bytes(),
  );
  write("no-json.jsonl", `<script class=${INJECTED_CLASS}>${RUN}</script>\n{"type":"session","id":"x"\n`);
  return { count: ODD_IDS.length + 7 };
}
