/** The session view in a real browser. */
import { utimesSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { toolCall } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

/** Opens the first of some sessions. All have an old mtime. */
async function opened(sessions: readonly Session[], query = "", options = {}) {
  const root = join(temporaryFolder(), "sessions");
  const paths = sessions.map((each) => {
    const path = each.writeUnder(root);
    utimesSync(path, new Date("2026-01-05"), new Date("2026-01-05"));
    return path;
  });
  const browsed = await openPage(await serveSynced(root), {
    path: `/session/${sessions[0]?.id}${query}`,
    ...options,
  });
  return { ...browsed, root, paths, path: paths[0] as string };
}

/** A session of 2,400 entries. */
function long(): Session {
  const talk = session({ id: "long" });
  for (let turn = 1; turn <= 600; turn++) {
    talk.user(`Question ${turn}?`).tool("bash", { command: `make ${turn}` }, `made ${turn}\n`.repeat(5));
    talk.assistant(`Answer ${turn}. ${"It is so. ".repeat(turn % 40)}`);
  }
  return talk;
}

/** Two branches from the question; the second is the current one. */
function branched(): Session {
  const talk = session({ id: "branched" }).user("Which way?", { id: "q" });
  talk.assistant("To the left.", { id: "left" }).label("left", "dead end", { id: "label" });
  return talk.branch("q").assistant("To the right.", { id: "right" }).user("Thanks.", { id: "thanks" });
}

const scroller = (page: Page) => page.getByRole("region", { name: "Transcript" });
const rowWith = (page: Page, text: string) => page.locator(".row", { hasText: text });
const elements = (page: Page) => page.evaluate(() => document.querySelectorAll("*").length);
const top = (page: Page) => scroller(page).evaluate((element) => element.scrollTop);

describeInBrowser("one session in the page", () => {
  test("opens at its beginning, and scrolls to its end while the page stays small", async () => {
    const { page } = await opened([long()]);
    await rowWith(page, "Question 1?").waitFor();
    expect(await top(page)).toBe(0);
    const maxElements = 3000;
    expect(await elements(page)).toBeLessThan(maxElements);
    await scroller(page).hover();
    await page.mouse.wheel(0, 10);
    for (let step = 1; step <= 10; step++) {
      await scroller(page).evaluate((element, share) => {
        element.scrollTop = element.scrollHeight * share;
      }, step / 10);
      await page.locator(".row").first().waitFor();
      expect(await elements(page)).toBeLessThan(maxElements);
    }
    await rowWith(page, "Answer 600.").waitFor();
    await page.keyboard.press("g");
    await rowWith(page, "Question 1?").waitFor();
    expect(await top(page)).toBe(0);
    expect(await elements(page)).toBeLessThan(maxElements);
    await page.keyboard.press("Shift+G");
    await rowWith(page, "Answer 600.").waitFor();
    await page.keyboard.press("g");
    await rowWith(page, "Question 1?").waitFor();
    await page.keyboard.press("j");
    expect(await page.locator(".row[aria-current]").textContent()).toContain("make 1");
  });

  test("opens at its beginning, also if its entries turn out to be higher than the window", async () => {
    const talk = session({ id: "higher" });
    for (let n = 1; n <= 3; n++) talk.user(`Question ${n}?`).assistant("It is so.\n\n".repeat(12));
    const { page } = await opened([talk], "", { viewport: { width: 390, height: 844 } });
    await rowWith(page, "Question 1?").waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".row-waiting").length === 0);
    await expect.poll(() => scroller(page).evaluate((all) => all.scrollHeight)).toBeGreaterThan(1000);
    expect(await top(page)).toBe(0);
  });

  test("opens at its end while an agent may be running, and says so if an entry does not exist", async () => {
    const { page, paths } = await opened([long()], "", {});
    await rowWith(page, "Question 1?").waitFor();
    utimesSync(paths[0] as string, new Date(), new Date());
    await page.goto(`${page.url()}?entry=gone`);
    await rowWith(page, "Answer 600.").waitFor();
    await page.getByText("Showing the end of the session").waitFor();
    expect(await rowWith(page, "Answer 600.").isVisible()).toBe(true);
  });

  test("an address opens an entry in the middle, and keys move between hits", async () => {
    const talk = long();
    const target = talk.entries.find(({ message }) =>
      JSON.stringify(message ?? "").includes("Question 300?"),
    );
    const { page } = await opened([talk], `?entry=${target?.id}`);
    await rowWith(page, "Question 300?").waitFor();
    expect(await page.locator(".row-named").textContent()).toContain("Question 300?");
    await page.goto(`${page.url().split("?")[0]}?q=${encodeURIComponent('"question 7"')}`);
    await rowWith(page, "Question 7?").waitFor();
    await page.keyboard.press("n");
    await page.waitForURL(/line=\d+/);
  });

  test("another branch can be displayed and left again; the tree shows the current position", async () => {
    const { page } = await opened([branched()]);
    await rowWith(page, "To the right.").waitFor();
    expect(await rowWith(page, "To the left.").count()).toBe(0);
    const tree = page.getByRole("navigation", { name: "Tree and files of this session" });
    expect(await tree.getByText("dead end", { exact: true }).count()).toBe(1);
    await page.getByRole("navigation", { name: "Other branches" }).getByRole("link").click();
    await rowWith(page, "To the left.").waitFor();
    expect(new URL(page.url()).searchParams.get("leaf")).toBe("label");
    expect(await rowWith(page, "To the right.").count()).toBe(0);
    const note = page.locator(".other-branch");
    expect(await note.textContent()).toBe("Another branch, 2 messages. Show the current branch");
    expect((await note.boundingBox())?.height).toBeLessThan(50); // one line
    expect(await findViolations(page)).toEqual([]);
    await tree.getByText("Thanks.").click();
    await rowWith(page, "To the right.").waitFor();
    expect(new URL(page.url()).searchParams.get("leaf")).toBe(null);
    expect(await note.count()).toBe(0);
    await page.goBack();
    await rowWith(page, "To the left.").waitFor();
    await note.getByRole("link").click();
    await rowWith(page, "To the right.").waitFor();
    await page.goBack();
    await rowWith(page, "To the left.").waitFor();
    // An entry on another branch displays that branch.
    await page.goto(`${page.url().split("?")[0]}?entry=left`);
    await rowWith(page, "To the left.").waitFor();
  });

  test("appended entries are displayed immediately at the end, and announced elsewhere", async () => {
    const talk = long();
    const { page, path } = await opened([talk]);
    await rowWith(page, "Question 1?").waitFor();
    await page.getByRole("button", { name: "Go to the end" }).click();
    await rowWith(page, "Answer 600.").waitFor();
    expect(await page.getByRole("button", { name: "Go to the end" }).count()).toBe(0);
    talk.user("And now?").appendTo(path);
    await rowWith(page, "And now?").waitFor();
    expect(await rowWith(page, "And now?").isVisible()).toBe(true);
    await page.keyboard.press("g");
    await rowWith(page, "Question 1?").waitFor();
    talk.assistant("Now this.").user("And then?").appendTo(path);
    await page.getByRole("button", { name: "2 new entries" }).click();
    await rowWith(page, "And then?").waitFor();
  });

  test("a subagent's session is collapsed where it was started", async () => {
    const root = join(temporaryFolder(), "sessions");
    const folder = join(root, "--home-ada-shop--");
    const run = session({ id: "run" }).user("Look into it.").assistant("Nothing is wrong.");
    const runPath = run.write(join(folder, "runs", "a", "b", "session.jsonl"));
    const talk = session({ id: "starter" }).user("Have it looked into.");
    talk.tool("subagent", { agent: "scout" }, "ok", {
      details: { results: [{ agent: "scout", sessionFile: runPath }] },
    });
    talk.assistant("It was looked into.").write(join(folder, talk.fileName));
    const { page } = await openPage(await serveSynced(root), { path: "/session/starter" });
    const card = page.locator(".subagent");
    await card.waitFor();
    expect(await page.locator(".row", { has: card }).textContent()).not.toContain("It was looked into.");
    await card.locator("summary").first().click();
    await card.getByText("Nothing is wrong.").waitFor();
    await card.getByRole("link", { name: "Open this session" }).click();
    await page.getByText("started by").waitFor();
  });

  test("paths below the session's folder are relative to it, and found as they are in the file", async () => {
    const talk = session({ id: "paths", cwd: "/home/ada/shop" }).user("Go on.");
    const edits = [{ oldText: "a", newText: "b" }];
    talk.tool("edit", { path: "/home/ada/shop/src/till.ts", edits }, "Done.").assistant("Next.");
    talk.tool("edit", { path: "/home/ada/blog/post.md", edits }, "Done.").assistant("All done.");
    const { page } = await opened([talk]);
    const about = page.locator(".call-about");
    await expect.poll(() => about.allTextContents()).toEqual(["src/till.ts", "/home/ada/blog/post.md"]);
    expect(await about.first().getAttribute("title")).toBe("/home/ada/shop/src/till.ts");
    await page.keyboard.press("/");
    await page.keyboard.type("/home/ada/shop/src");
    await expect.poll(() => page.locator(".transcript-hits").textContent()).toBe("1 of 1");
  });

  test("consecutive tool calls are one row, which opens at a click, for an address in it, and with all others", async () => {
    const talk = session({ id: "calls" }).user("Fix the build.");
    talk.tool("read", { path: "a.ts" }, "text").tool("read", { path: "b.ts" }, "text");
    talk
      .tool("bash", { command: "make tests" }, "no rule", { isError: true })
      .assistant("It can't be built.");
    const line = talk.entries.findIndex(({ message }) => JSON.stringify(message ?? "").includes("b.ts")) + 2;
    const { page } = await opened([talk]);
    const calls = page.getByRole("button", { name: /3 tool calls/ });
    await calls.waitFor();
    // The files are loaded after the rest.
    await expect.poll(() => calls.textContent()).toMatch(/^3 tool callsread a\.ts, b\.ts1 bash failed/);
    expect(await calls.getAttribute("title")).toBe("read a.ts\nread b.ts\nbash make tests");
    expect(await rowWith(page, "make tests").count()).toBe(0);
    await calls.click();
    await rowWith(page, "make tests").waitFor();
    await calls.click();
    await rowWith(page, "make tests").waitFor({ state: "detached" });
    await page.keyboard.press("e");
    await rowWith(page, "no rule").waitFor(); // the output, too
    await page.getByRole("button", { name: "Collapse all" }).click();
    await rowWith(page, "make tests").waitFor({ state: "detached" });
    await page.goto(`${page.url().split("?")[0]}?line=${line}`);
    await page.locator(".row-named", { hasText: "b.ts" }).waitFor();
  });

  test("a text is found in all entries, with / and Ctrl+F; brackets go to prompts", async () => {
    const { page } = await opened([long()]);
    await rowWith(page, "Question 1?").waitFor();
    const find = page.getByRole("searchbox", { name: "Find in this session" });
    await page.keyboard.press("/");
    await page.keyboard.type("question 17?"); // as it is, in any case
    await rowWith(page, "Question 17?").waitFor();
    await page.getByText("1 of 1").waitFor();
    expect(await page.locator("mark").allTextContents()).toEqual(["Question 17?"]);
    await page.keyboard.press("Escape");
    expect(await find.inputValue()).toBe("");
    await page.keyboard.press("]");
    await page.locator(".row-here", { hasText: "Question 18?" }).waitFor();
    await page.keyboard.press("[");
    await page.keyboard.press("[");
    await page.locator(".row-here", { hasText: "Question 16?" }).waitFor();
    await page.keyboard.press("Control+f");
    expect(await find.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test.each([1280, 390])("the figures of a continued answer cover no text, %i px wide", async (width) => {
    const talk = session({ id: "figures" }).user("Fix the build.").assistant("It is so. ".repeat(40));
    talk.assistant("I looked at it for a long time. ".repeat(20));
    talk.tool("bash", { command: "make ".repeat(60) }, "ok").assistant("Done.");
    const { page } = await opened([talk], "", { viewport: { width, height: 800 } });
    await rowWith(page, "Done.").waitFor();
    const rows = page.locator(".row-continued:has(.entry-heading)");
    expect(await rows.count()).toBeGreaterThan(2);
    for (const row of await rows.all()) {
      await row.hover();
      const { heading, texts } = await row.evaluate((element) => {
        const box = (inside: Element | Range) => inside.getBoundingClientRect().toJSON() as DOMRect;
        const range = document.createRange();
        range.selectNodeContents(element.querySelector(".entry-facts") as Element);
        const heading = box(range);
        const others = document.querySelectorAll(".row .prose, .row .call");
        return { heading, texts: [...others].map(box) };
      });
      expect(heading.width).toBeGreaterThan(100);
      expect(heading.right).toBeLessThanOrEqual(width);
      const covered = texts.filter(({ top, bottom }) => top < heading.bottom - 1 && bottom > heading.top + 1);
      expect(covered).toEqual([]);
    }
  });

  test("calls are one list with even gaps, and the figures of one cover none of it", async () => {
    const call = (n: number) => toolCall(`c${n}`, "bash", { command: `make all-${n} ${"x".repeat(200)}` });
    const talk = session({ id: "gaps" })
      .user("Fix the build.")
      .assistant([call(1), call(2), call(3)]);
    for (const n of [1, 2, 3]) talk.toolResult(`c${n}`, "bash", "ok");
    for (const n of [4, 5]) talk.assistant([call(n)]).toolResult(`c${n}`, "bash", "ok");
    talk.assistant("Done.");
    const { page } = await opened([talk]);
    await page.getByRole("button", { name: /5 tool calls/ }).click();
    const calls = page.locator(".call");
    await expect.poll(() => calls.count()).toBe(5);
    await page.mouse.move(0, 0);
    const tops = await calls.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
    const gaps = tops.slice(1).map((top, n) => Math.round(top - (tops[n] as number)));
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
    await calls.last().hover();
    const box = async (part: string) => (await page.locator(part).last().boundingBox()) as DOMRect;
    const [about, facts] = [
      await box(".row-grouped .call-about"),
      await box(".row-grouped .entry-heading .entry-facts"),
    ];
    expect(facts.width).toBeGreaterThan(100);
    expect(about.x + about.width).toBeLessThanOrEqual(facts.x);
    expect(await findViolations(page)).toEqual([]);
  });

  test("an answer that begins with calls has a heading, once, whether they are open or not", async () => {
    const talk = session({ id: "begins" }).user("Fix the build.");
    for (const n of [1, 2]) talk.tool("bash", { command: `make ${n}` }, "ok");
    talk.assistant("Done.");
    const { page } = await opened([talk]);
    await rowWith(page, "Done.").waitFor();
    const headings = page.locator(".entry:not(.entry-continued) > .entry-heading h2");
    expect(await headings.allTextContents()).toEqual(["You", "Assistant"]);
    expect(await page.locator(".row:has(.entry-calls) .entry-facts").textContent()).toBe(
      "3 responses$0.0018",
    );
    await page.getByRole("button", { name: /2 tool calls/ }).click();
    await rowWith(page, "make 2").last().waitFor();
    expect(await headings.allTextContents()).toEqual(["You", "Assistant"]);
  });

  test("the button to copy a short argument is at the edge, as those of long ones are", async () => {
    const talk = session({ id: "edge" }).user("Fix it.");
    talk.tool("bash", { command: "make", timeout: 60 }, "ok").assistant("Done.");
    const { page } = await opened([talk]);
    await page.locator(".call > summary").click();
    await page.locator(".argument-short").hover();
    const edges = await page
      .locator(".arguments .copy")
      .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().right)));
    expect(edges.length).toBe(2);
    expect(edges[0]).toBe(edges[1]);
  });

  test("on a phone, the tools of an entry cover no text", async () => {
    const talk = session({ id: "uncovered" }).user("Fix the build, and say ".repeat(9), { id: "u" });
    talk.assistant("Hm.", { id: "a" }).tool("edit", { path: "a.ts", oldText: "a", newText: "b" }, "done");
    talk.compaction("What was done.", null).bash("ls", "a.ts");
    talk.label("u", "the first question of them all").label("a", "an answer with a long label, too");
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await opened([talk], "", phone);
    const covered = () =>
      page.evaluate(() => {
        const boxOf = (node: Node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return [...range.getClientRects()];
        };
        const tools = [...document.querySelectorAll(".row-tool svg")].flatMap((each) =>
          each.checkVisibility() ? [each.getBoundingClientRect()] : [],
        );
        const texts = [
          ...document.querySelectorAll(
            ".prompt-above, .row-label, .entry-heading h2, .entry-facts > *, .prose",
          ),
        ];
        const overlaps = (a: DOMRect, b: DOMRect) =>
          a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        return {
          tools: tools.length,
          covered: texts
            .filter((text) => boxOf(text).some((box) => tools.some((tool) => overlaps(box, tool))))
            .map((text) => text.textContent),
        };
      });
    await rowWith(page, "Hm.").waitFor();
    const all = await covered();
    expect(all.tools).toBeGreaterThan(5);
    expect(all.covered).toEqual([]);
    await page.getByRole("combobox", { name: "Show" }).selectOption("edits");
    await page.getByRole("link", { name: /^You Fix the build/ }).waitFor();
    await expect.poll(covered).toEqual({ tools: 2, covered: [] });
  });

  test("an answer's heading has the cost of all its responses", async () => {
    const talk = session({ id: "responses" }).user("First?").assistant("A plain answer.");
    talk.user("Second?").assistant("I look.").tool("bash", { command: "make" }, "ok").assistant("Done.");
    const { page } = await opened([talk]);
    const facts = (text: string) => rowWith(page, text).locator(".entry-facts").textContent();
    await rowWith(page, "Done.").waitFor();
    // A response of the builder costs 0.0006.
    expect(await facts("I look.")).toContain("3 responses$0.0018");
    expect(await facts("A plain answer.")).toContain("$0.0006100 in, 20 out");
    expect(await facts("A plain answer.")).not.toContain("responses");
    expect(await facts("Done.")).not.toContain("responses");
  });

  test("an expanded output is one box, which can be collapsed at its end and at its top", async () => {
    const talk = session({ id: "output" }).user("Count.");
    talk.tool("bash", { command: "seq 100" }, Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n"));
    const { page } = await opened([talk.assistant("Done.")]);
    await page.locator(".call > summary").click();
    const result = page.locator(".tool-result");
    await result.getByText("Show all 100 lines").click();
    await result.getByText("line 99").waitFor();
    const less = result.getByText("Show less");
    // At one moment: rows move as they are measured.
    const { pres, tops } = await result.evaluate((element) => {
      const boxes = (all: Iterable<Element>) =>
        [...all].map((each) => each.getBoundingClientRect().toJSON() as DOMRect);
      const buttons = [...element.querySelectorAll("*")].filter(
        (each) => each.childElementCount === 0 && each.textContent?.includes("Show less"),
      );
      return { pres: boxes(element.querySelectorAll("pre")), tops: boxes(buttons).map(({ top }) => top) };
    });
    const [first, rest] = pres;
    expect(rest?.top).toBe(first?.bottom);
    expect([...tops].sort((a, b) => a - b)).toEqual(tops);
    expect(tops[0]).toBeLessThan(first?.top ?? 0);
    expect(tops[1]).toBeGreaterThanOrEqual((rest?.bottom ?? 0) - 1);
    await less.first().click();
    await result.getByText("line 99").waitFor({ state: "detached" });
    await result.getByText("Show all 100 lines").waitFor();
  });

  test("a filter leaves only prompts, answers, edits or errors", async () => {
    const talk = session({ id: "filtered" }).user("Fix the build.").assistant("I look first.");
    talk.tool("edit", { path: "a.ts", oldText: "one", newText: "two" }, "done");
    const failure = Array.from({ length: 40 }, (_, n) => `line ${n} of the error`).join("\n");
    // Another call of the same response has no result.
    const say = [toolCall("another", "read", { path: "another.ts" })];
    talk
      .tool("bash", { command: "make tests" }, failure, { isError: true, say })
      .assistant("It can't be built.");
    const { page } = await opened([talk], "?show=prompts");
    await rowWith(page, "Fix the build.").waitFor();
    const show = async (filter: string) => {
      await page.getByRole("combobox", { name: "Show" }).selectOption(filter);
      await page.waitForFunction(() => document.querySelectorAll(".row-waiting").length === 0);
      return (await page.locator(".row").allTextContents()).join("\n");
    };
    expect(await page.locator(".row").count()).toBe(1);
    expect(await show("conversation")).toMatch(/Fix the build\.[\s\S]*I look first\.[\s\S]*can't be built/);
    expect(await show("errors")).toMatch(/^(?![\s\S]*(?:I look first|another\.ts))[\s\S]*make tests/);
    // What failed is what the user looks for: its whole output is shown.
    await page.getByText("line 30 of the error").waitFor();
    await show("all");
    await page.getByText("line 30 of the error").waitFor({ state: "detached" });
    expect(await show("edits")).toMatch(/^(?![\s\S]*make tests)[\s\S]*a\.ts/);
    expect(await page.locator(".diff ins").allTextContents()).toEqual(["+two\n"]); // open
    expect(new URL(page.url()).searchParams.get("show")).toBe("edits");
    const options = await page.getByRole("combobox", { name: "Show" }).locator("option").allTextContents();
    expect(options).toEqual(["Everything", "Prompts and answers 3", "My prompts 1", "Edits 1", "Errors 1"]);
    // The prompt of an edit leads to the prompt among everything.
    await page.getByRole("link", { name: "You Fix the build." }).click();
    await page.locator(".row-here", { hasText: "Fix the build." }).waitFor();
    await rowWith(page, "I look first.").waitFor();
  });

  test("on a phone, the selected entry has the whole width, and its tools above its text", async () => {
    const talk = session({ id: "narrow" }).user("Fix it.").assistant("I look first.");
    talk.tool("bash", { command: "make" }, "done").assistant("A needle is here.");
    const { page } = await opened([talk], "?q=needle", {
      ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    });
    const row = page.locator(".row-here", { hasText: "A needle is here." });
    await row.waitFor();
    const box = async (part: string) =>
      (await row.locator(part).boundingBox()) ?? { y: 0, width: 0, height: 0 };
    const [tools, entry] = [await box(".row-tools"), await box("p:has(mark)")];
    expect(entry.width).toBeGreaterThan(390 - 2 * 16);
    expect(tools.height).toBeGreaterThan(20);
    expect(entry.y).toBeGreaterThanOrEqual(tools.y + tools.height - 2);
  });

  test("a filter begins where the reader is, and leads back there", async () => {
    const talk = session({ id: "placed" });
    for (let n = 1; n <= 40; n++) {
      talk.user(`Step ${n}, please.`, { id: `step-${n}` }).assistant(`Answer ${n} `.repeat(60));
      if (n % 10 === 0) talk.tool("edit", { path: `file-${n}.ts`, oldText: "a", newText: "b" }, "done");
    }
    const { page } = await opened([talk], "?entry=step-25");
    await rowWith(page, "Step 25, please.").waitFor();
    const show = (filter: string) => page.getByRole("combobox", { name: "Show" }).selectOption(filter);
    await show("edits");
    await page.locator(".row-here", { hasText: "file-30.ts" }).waitFor();
    await show("all");
    await page.locator(".row-here", { hasText: "Step 25, please." }).waitFor();
  });

  test("a search that fails says so, and special characters are found as they are", async () => {
    const talk = session({ id: "odd" }).user("What is (a|b)*?").assistant("A pattern.");
    const { page, complaints } = await opened([talk], "?find=(a%7Cb)*%3F");
    await page.getByText("1 of 1").waitFor();
    await page.locator("mark", { hasText: "(a|b)*?" }).waitFor();
    await page.route("**/api/hits?**", (route) => route.abort());
    await page.getByRole("searchbox", { name: "Find in this session" }).fill("pattern");
    await page.getByText("Not searched").waitFor();
    expect(complaints.splice(0)).toEqual(["Failed to load resource: net::ERR_FAILED"]); // the failed search
    await page.unroute("**/api/hits?**");
  });

  test("code and output are copied as they are in the session", async () => {
    const talk = session({ id: "copied" }).user("Show it.");
    talk.assistant("So:\n\n```ts\nconst tax = 1 < 2;\n```");
    const { page } = await opened([talk]);
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => {
        document.title = text;
      };
    });
    await page.locator(".code-block").hover();
    await page.getByRole("button", { name: "Copy code" }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.title()).toBe("const tax = 1 < 2;");
  });

  test("an ambiguous id shows a link to each session", async () => {
    const one = session({ id: "same", cwd: "/home/ada/one" }).user("first");
    const other = session({ id: "same", cwd: "/home/ada/other" }).user("second");
    const { page, complaints } = await opened([one, other]);
    await page.getByRole("link", { name: "second" }).click();
    await rowWith(page, "second").waitFor();
    // The browser logs every error response.
    expect(complaints.splice(0).every((message) => message.includes("409"))).toBe(true);
  });

  test("is accessible, in light and dark, on a desktop and on a phone", async () => {
    const talk = branched().tool("bash", { command: "ls" }, "a\nb").compaction("All of it.", "q");
    talk.bash("git status", "clean").model("openai", "gpt-5.2");
    const { page } = await opened([talk], "", { colorScheme: "dark" });
    await rowWith(page, "Thanks.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByLabel("More", { exact: true }).click();
    await page.getByRole("button", { name: "Tree", exact: true }).click();
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });
});
