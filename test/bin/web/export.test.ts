import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import MarkdownIt from "markdown-it";
import { expect, onTestFinished, test } from "vitest";
import { image } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { isSafe } from "../../safe.ts";
import { temporaryFolder } from "../../temporary.ts";
import { linesOf, PI, pidexAt, plainSessions } from "../cli.ts";
import { describeInBrowser, findViolations, launchBrowser } from "./browser.ts";

const GITHUB = `gh${"p_"}${"aB3".repeat(12)}`;
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function over(...stories: Session[]) {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  for (const story of stories) story.writeUnder(root);
  return { folder, root, run: pidexAt(root, folder) };
}

const story = () =>
  session({ id: "tax-1" })
    .user([
      { type: "text", text: "Fix the **tax**" },
      { type: "image", mimeType: "image/png", data: PIXEL },
    ])
    .tool("edit", { path: "src/tax.ts", oldText: "0.16", newText: "0.19" }, "done")
    .assistant("```ts\nconst rate = 0.19;\n```")
    .user(`and with ${GITHUB}?`)
    .assistant("yes");

test("a session becomes a page with its facts, its prompts and its entries", async () => {
  const { run } = over(story());
  const { exit, out, err } = await run(["export", "tax-1"]);
  expect([exit, err]).toEqual([0, ""]);
  expect(out).toMatch(/^<!doctype html>/);
  expect(out).toContain("<title>Fix the tax</title>");
  expect(out).toContain('<a href="#line-2">Fix the **tax**</a>');
  expect(out).toContain('id="line-2"');
  expect(out).toContain("<strong>tax</strong>");
  expect(out).toContain('<ins><span class="diff-gutter">+</span>');
  expect(out).toContain('<span class="code-keyword">const</span>');
  expect(out).toContain(`src="data:image/png;base64,${PIXEL}"`);
  expect(out).not.toMatch(/<script|<link|<iframe|style="/);
  // A result is shown with its call, not separately.
  expect(out.match(/>done</g)).toHaveLength(1);
});

test("a heading that is a long first message is cut; the message is whole below it", async () => {
  const message = "w".repeat(99) + "ide ".repeat(200);
  const { run } = over(session({ id: "long" }).user(message).assistant("yes"));
  const heading = `${"w".repeat(99)}…`;
  const markdown = (await run(["export", "long", "--format", "md"])).out;
  expect(linesOf(markdown)[0]).toBe(`# ${heading}`);
  const html = (await run(["export", "long"])).out;
  expect(html).toContain(`<title>${heading}</title>`);
  const text = (await run(["show", "long"])).out;
  expect(linesOf(text)[0]).toBe(heading);
  for (const out of [markdown, html, text]) expect(out).toContain(message.trim());
});

test("an HTML export can't run or load anything", async () => {
  const { out } = await over(story()).run(["export", "@last"]);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(out)?.[1];
  const style = /<style>([\s\S]*?)<\/style>/.exec(out)?.[1] as string;
  const hash = createHash("sha256").update(style).digest("base64");
  expect(policy).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`,
  );
  expect(style).toContain(".entry");
  expect(style).not.toMatch(/@import|url\(/);
});

test.each(["html", "md", "jsonl"])("secrets are masked in %s, unless masking is disabled", async (format) => {
  const { run, folder } = over(story());
  const file = join(folder, "out");
  const { err } = await run(["export", "@last", "--format", format, "-o", file]);
  expect(readFileSync(file, "utf8")).toContain("[redacted github]");
  expect(readFileSync(file, "utf8")).not.toContain(GITHUB);
  expect(err).toMatch(/^Exported to .*, secrets masked in 1 location\n$/);
  const open = await run(["export", "@last", "--format", format, "--no-redact", "-o", file, "--force"]);
  expect(open.err).toContain("secrets not masked");
  expect(readFileSync(file, "utf8")).toContain(GITHUB);
});

test("the file extension determines the format", async () => {
  const { run, folder } = over(story());
  for (const [name, begin] of [
    ["a.html", "<!doctype html>"],
    ["a.md", "# Fix the"],
    ["a.jsonl", '{"type":"session"'],
    ["a", "<!doctype html>"],
  ] as const) {
    const file = join(folder, name);
    expect((await run(["export", "@last", "-o", file])).exit).toBe(0);
    expect(readFileSync(file, "utf8").startsWith(begin)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  const refused = await run(["export", "@last", "-o", join(folder, "a.PDF")]);
  expect([refused.exit, existsSync(join(folder, "a.PDF"))]).toEqual([2, false]);
  expect(refused.err).toMatch(/^pidex: no export format for \.pdf files\n {2}Formats are html, md and jsonl/);
  expect((await run(["export", "@last", "--format", "md", "-o", join(folder, "a.txt")])).exit).toBe(0);
});

test("images can be excluded", async () => {
  const { run } = over(story());
  for (const format of ["html", "md", "jsonl"]) {
    const without = await run(["export", "@last", "--format", format, "--images", "no"]);
    expect(without.out).not.toContain(PIXEL);
    expect(without.out).toContain("image/png, ");
    const whole = await run(["export", "@last", "--format", format, "--images", "yes"]);
    expect(whole.out).toContain(PIXEL);
  }
});

test("a file that only claims to be an image is not exported as one", async () => {
  const svg = Buffer.from("<svg onload='alert(1)'/>").toString("base64");
  const blocks = ["image/svg+xml", "text/html", 'image/png" onerror="alert(1)'].map((mimeType) => ({
    ...image(svg),
    mimeType,
  }));
  const { run } = over(
    session().user([...blocks, { ...image('x" onerror="alert(1)'), mimeType: "image/png" }]),
  );
  expect((await run(["export", "@last"])).out).not.toContain("<img");
});

test("a JSONL export of any session is a session file with the same entries", async () => {
  const folder = temporaryFolder();
  const run = pidexAt(PI, folder);
  const again = join(folder, "again");
  mkdirSync(join(again, "--x--"), { recursive: true });
  const sessions = plainSessions(PI).slice(0, 12);
  for (const [n, { path }] of sessions.entries()) {
    const { exit, out } = await run(["export", path, "--all", "--no-redact", "--format", "jsonl"]);
    expect(exit).toBe(0);
    writeFileSync(join(again, "--x--", `${n}.jsonl`), out);
  }
  const reads = pidexAt(again, temporaryFolder());
  for (const [n, { path }] of sessions.entries()) {
    const before = JSON.parse((await run(["show", path, "--all", "--json"])).out);
    const after = JSON.parse(
      (await reads(["show", join(again, "--x--", `${n}.jsonl`), "--all", "--json"])).out,
    );
    expect(after.entries.map(({ entry }: { entry: object }) => entry)).toEqual(
      before.entries.map(({ entry }: { entry: object }) => entry),
    );
    const { id, cwd, created, problemCount } = after.session;
    expect({ id, cwd, created }).toEqual({
      id: before.session.id,
      cwd: before.session.cwd,
      created: before.session.created,
    });
    expect(problemCount).toBe(0);
  }
});

test("a branch is exported without the other branches", async () => {
  const one = session({ id: "b" }).user("root").assistant("first way");
  const leaf = one.lastId;
  one.entry({
    type: "message",
    parentId: one.entries[0]?.id,
    message: { role: "assistant", content: "second way" },
  });
  const { run } = over(one);
  const branch = await run(["export", "b", "--leaf", leaf, "--format", "jsonl"]);
  expect(linesOf(branch.out)).toHaveLength(3);
  expect(branch.out).not.toContain("second way");
  expect((await run(["export", "b", "--format", "md"])).out).not.toContain("first way");
  const all = await run(["export", "b", "--all", "--format", "md"]);
  expect(all.out).toContain("first way");
  expect(all.out).toContain("second way");
});

test("search hits are exported with context", async () => {
  const other = session({ id: "o", timestamp: "2026-02-01T00:00:00.000Z" })
    .user("no")
    .assistant("the needle too");
  const one = session({ id: "n" })
    .user("a")
    .assistant("b")
    .user("c")
    .assistant("the needle")
    .user("d")
    .assistant("e");
  const { run } = over(one, other);
  const { out } = await run(["export", "--search", "needle"]);
  expect(out.match(/<mark>needle<\/mark>/g)).toHaveLength(2);
  expect(out.match(/<section class="found">/g)).toHaveLength(2);
  expect(out.match(/<section/g)).toHaveLength(out.match(/<\/section>/g)?.length ?? 0);
  const found = linesOf((await run(["export", "--search", "needle", "--format", "jsonl"])).out).map((line) =>
    JSON.parse(line),
  );
  const ofOne = found.filter((each) => each.session.id === "n");
  expect(ofOne.map(({ line, isHit }) => [line, isHit])).toEqual([
    [4, false],
    [5, true],
    [6, false],
  ]);
  expect((await run(["export", "--search", "nowhere"])).out).toContain("No sessions match.");
});

test("a failed export leaves no file, and existing files are not replaced without --force", async () => {
  const { run, folder } = over(story());
  const file = join(folder, "out.html");
  expect((await run(["export", "nosuch", "-o", file])).exit).toBe(3);
  expect((await run(["export", "@last", "--leaf", "nosuch", "-o", file])).exit).toBe(3);
  expect((await run(["export", "--search", "since:nonsense", "-o", file])).exit).toBe(2);
  expect((await run(["export", "-o", file])).exit).toBe(2);
  expect((await run(["export", "@last", "--search", "x", "-o", file])).exit).toBe(2);
  expect(readdirSync(folder).filter((name) => name.includes("out.html"))).toEqual([]);
  writeFileSync(file, "mine");
  expect((await run(["export", "@last", "-o", file])).exit).toBe(2);
  expect(readFileSync(file, "utf8")).toBe("mine");
  expect((await run(["export", "@last", "-o", file, "--force"])).exit).toBe(0);
  expect(existsSync(file)).toBe(true);
});

const EVIL = [
  "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><style>@import 'https://evil.example/a.css'</style></svg>",
  "[a](javascript:alert(1)) ![b](https://evil.example/b.png) [c](data:text/html,<script>alert(1)</script>)",
  "<iframe src='https://evil.example'></iframe><meta http-equiv=refresh content='0;url=https://evil.example'>",
  "</title></style></details></code></pre><script>alert(1)</script>",
  "```\n</code></pre><script>alert(1)</script>\n``` `\n<script>alert(1)</script>`",
  "> - <b onclick=alert(1)>\n>   ~~~\n<script>alert(1)</script>",
  "`open\n<script>alert(1)</script> `",
  "[x]: javascript:alert(1)\n\n[x]",
  "x".repeat(300_000),
];

function evil(): Session {
  const hostile = session({ id: "evil", cwd: EVIL[0] as string });
  for (const text of EVIL) {
    hostile
      .user(text)
      .tool(text.slice(0, 100), { path: text, oldText: text, newText: "b" }, text)
      .assistant(text);
    hostile.entry({ type: text.slice(0, 200), [text.slice(0, 200)]: text });
    hostile.entry({ type: "compaction", summary: text }).entry({ type: "label", label: text });
  }
  return hostile.name(EVIL[4] as string);
}

test.each(["html", "md", "jsonl"])("%s contains no control sequences", async (format) => {
  const signs = "\x1b[2J \x9b31m \u202e \u2028 \x07";
  const { run } = over(
    session({ cwd: signs })
      .user(signs)
      .tool(signs, { [signs]: signs }, signs)
      .assistant(signs),
  );
  const { out } = await run(["export", "@last", "--format", format]);
  expect(isSafe(out)).toBe(true);
});

test("a Markdown export contains only harmless markup from a session", async () => {
  const { out } = await over(evil()).run(["export", "@last", "--format", "md", "--images", "yes"]);
  const reader = new MarkdownIt({ html: true });
  reader.validateLink = () => true;
  const tokens = reader.parse(out, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  expect(tokens.filter(({ type }) => /^html_|^image$/.test(type)).map(({ content }) => content)).toEqual([]);
  const links = tokens
    .filter(({ type }) => type === "link_open")
    .map((token) => String(token.attrGet("href")));
  expect(links.filter((href) => !/^https?:/.test(href))).toEqual([]);
});

describeInBrowser("in a browser", () => {
  test.each(["as it is", "without its policy"])(
    "a hostile session runs and fetches nothing, %s",
    async (how) => {
      const { run, folder } = over(evil());
      const file = join(folder, "evil.html");
      expect((await run(["export", "@last", "-o", file])).exit).toBe(0);
      const html = readFileSync(file, "utf8");
      if (how !== "as it is") writeFileSync(file, html.replace(/<meta http-equiv[^>]*>/, ""));
      const context = await (await launchBrowser()).newContext({ javaScriptEnabled: true });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const requests: string[] = [];
      const ran: string[] = [];
      await context.route(/^(?!file:)/, (route) => route.abort());
      page.on("request", (request) => requests.push(request.url()));
      page.on("dialog", (dialog) => {
        ran.push(dialog.message());
        void dialog.dismiss();
      });
      page.on("console", (message) => ran.push(message.text()));
      page.on("framenavigated", (frame) => requests.push(`went to ${frame.url()}`));
      const address = pathToFileURL(file).href;
      await page.goto(address);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
        for (const element of document.querySelectorAll<HTMLElement>("body *:not(a, a *)")) element.click();
      });
      const seen = await page.evaluate(() => ({
        foreign: document.querySelectorAll("script, iframe, object, embed, svg, form, base, link, img")
          .length,
        handlers: [...document.querySelectorAll("*")].filter((one) =>
          one.getAttributeNames().some((name) => name.startsWith("on") || name === "style"),
        ).length,
        links: [...document.querySelectorAll("a")].map((a) => a.href),
        styles: document.querySelectorAll("style").length,
        isStyled: getComputedStyle(document.querySelector("main") as Element).maxWidth,
      }));
      expect({ requests, ran }).toEqual({ requests: [address, `went to ${address}`], ran: [] });
      expect(seen).toMatchObject({ foreign: 0, handlers: 0, styles: 1, isStyled: "832px" });
      for (const link of seen.links) expect(link).toMatch(/^(?:https?:|file:[^#]*#line-)/);
    },
  );

  test("an HTML export is accessible, also in dark mode", async () => {
    const { run, folder } = over(story());
    const file = join(folder, "page.html");
    await run(["export", "@last", "-o", file, "--images", "yes"]);
    const context = await (await launchBrowser()).newContext({ colorScheme: "dark", bypassCSP: true });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    expect(await findViolations(page)).toEqual([]);
    expect(await page.locator("img").evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBe(1);
    await page.emulateMedia({ colorScheme: "light" });
    expect(await findViolations(page)).toEqual([]);
  });
});

test("HTML is not printed on a terminal, unless with -o -", async () => {
  const refused = await over(story()).run(["export", "@last"], { columns: 80 });
  expect([refused.exit, refused.out]).toEqual([2, ""]);
  expect(refused.err).toContain("refusing to print HTML on a terminal");
  expect(refused.err).toContain("pidex export @last -o session.html");
  const printed = await over(story()).run(["export", "@last", "-o", "-"], { columns: 80 });
  expect(printed.out).toMatch(/^<!doctype html>/i);
  expect((await over(story()).run(["export", "@last", "--format", "md"], { columns: 80 })).exit).toBe(0);
});
