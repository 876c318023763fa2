import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import type { FileProblem } from "../../../library/index.ts";
import { BROKEN, pidexAt } from "../cli.ts";
import { describeInBrowser, discardPage, findViolations, openPage } from "./browser.ts";
import { serve, type TestServer } from "./serve.ts";

let folder = "";
let root = "";
let server: TestServer;
let end = async () => {};
let problems: FileProblem[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-health-"));
  root = join(folder, "sessions");
  cpSync(BROKEN, root, { recursive: true });
  if (process.platform !== "win32") execFileSync("mkfifo", [join(root, "--home-ada-broken--", "pipe.jsonl")]);
  await pidexAt(root, folder)(["index"]);
  const atEnd = (stop: () => Promise<void>) => {
    end = stop;
  };
  server = await serve(root, { db: join(folder, "index.db"), atEnd });
  problems = (await server.json("/api/problems")).problems;
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: any JSON
const json = async (...argv: string[]): Promise<any> =>
  JSON.parse((await pidexAt(root, folder)([...argv, "--json"])).out);

function lineAddress({ path, line, byteOffset }: Pick<FileProblem, "path" | "line" | "byteOffset">): string {
  return `/api/line?${new URLSearchParams({ file: path, line: String(line), offset: String(byteOffset) })}`;
}

describe("health routes", () => {
  test("return the output of doctor", async () => {
    const { diagnosis } = await server.json("/api/doctor");
    const expected = (await json("doctor")).diagnosis;
    // Free disk space and WAL size change meanwhile.
    const steady = ({ versions, roots, freshness, problems: counts }: typeof expected) => [
      versions,
      roots,
      freshness,
      counts,
    ];
    expect(steady(diagnosis)).toEqual(steady(expected));
    expect(diagnosis.database).toMatchObject({
      path: expected.database.path,
      from: "option",
      state: "current",
    });
    // The page may be syncing.
    const codes = (findings: { code: string }[]) =>
      findings.map(({ code }) => code).filter((code) => code !== "indexing");
    expect(codes(diagnosis.findings)).toEqual(codes(expected.findings));
    expect(problems).toEqual((await json("stats", "--problems")).problems);
  });

  test("the line of each problem is returned as it is in the file", async () => {
    const lines = problems.filter(({ line }) => line > 0);
    expect(lines.length).toBeGreaterThan(40);
    for (const problem of lines) {
      const { parts, bytes } = await server.json(lineAddress(problem));
      const content = readFileSync(problem.path);
      const end = content.indexOf("\n", problem.byteOffset);
      expect(bytes).toBe((end < 0 ? content.length : end) - problem.byteOffset);
      const kinds = parts.map(({ kind }: { kind: string }) => kind);
      const isBroken = ["malformed_line", "torn_line"].includes(problem.code);
      expect([problem, kinds.includes("here")]).toEqual([problem, isBroken]);
      if (problem.code === "invalid_utf8" || problem.code === "byte_order_mark")
        expect(kinds).toContain("bytes");
    }
  });

  test("files that are not in the index are not read", async () => {
    const [known] = problems.filter(({ line }) => line > 0) as [FileProblem];
    const secret = join(folder, "secret.jsonl");
    writeFileSync(secret, "secret\n");
    for (const path of [
      secret,
      "/etc/passwd",
      join(folder, "index.db"),
      `${known.path}/../${known.path.split("/").at(-1)}`,
      join(root, "..", "secret.jsonl"),
      `${root}/../secret.jsonl`,
      known.path.slice(0, -1),
      "@last",
      "",
      "019c0ede",
      "secret\0.jsonl",
    ]) {
      const response = await server.fetch(lineAddress({ path, line: 1, byteOffset: 0 }));
      const body = await response.text();
      expect([path, response.status]).toEqual([path, 404]);
      expect(body).not.toContain("secret\\n");
    }
  });

  test("an offset inside a line, and a pipe, are refused", async () => {
    const [known] = problems.filter(({ byteOffset }) => byteOffset > 10) as [FileProblem];
    for (const byteOffset of [known.byteOffset - 1, 1, 1e9]) {
      const response = await server.fetch(lineAddress({ ...known, byteOffset }));
      expect([byteOffset, response.status]).toEqual([byteOffset, 409]);
    }
    const pipe = problems.find(({ code }) => code === "not_a_file");
    if (!pipe) return expect(process.platform).toBe("win32");
    const { error } = await server.json(lineAddress(pipe));
    expect(error.code).toBe("FILE_UNREADABLE");
  });
});

describeInBrowser("the health view", () => {
  test("shows findings with fixes, and details", async () => {
    const { page } = await openPage(server, { path: "/health" });
    await page.locator(".facts").waitFor();
    const { findings } = (await server.json("/api/doctor")).diagnosis;
    const shown = await page
      .locator(".finding")
      .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset.code));
    expect(shown).toEqual(findings.map(({ code }: { code: string }) => code));
    // What is not obvious has an explanation.
    for (const name of ["Write-ahead log", "Schema version", "Extraction version"])
      expect(await page.getByText(name, { exact: true }).getAttribute("title")).toMatch(/\w+\.$/);
    expect(await page.locator(".finding-todo").first().textContent()).toContain(findings[0].todo);
    expect(await page.getByRole("row", { name: new RegExp(`^${root} OK`) }).count()).toBe(1);
    expect(await page.locator(".file-problems").count()).toBe(new Set(problems.map(({ path }) => path)).size);
  });

  test("marks the invalid bytes of a line once it is expanded", async () => {
    const { page } = await openPage(server, { path: "/health" });
    const torn = page.locator("details", { hasText: "incomplete last line" }).first();
    await torn.waitFor();
    expect(await page.locator(".broken-text").count()).toBe(0);
    await torn.locator("summary").click();
    await torn.locator(".broken-text").waitFor();
    expect(await torn.locator('[data-broken="bytes"]').textContent()).toBe("e2 82");
    expect(await torn.locator('[data-broken="here"]').textContent()).toBe("end of line");
    const malformed = page.locator("details", { hasText: "Unexpected token 'g'" });
    await malformed.locator("summary").click();
    expect(await malformed.locator('[data-broken="here"]').textContent()).toBe("g");
    expect(await findViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });

  test("leads from the file of a problem to its session, and sorts the folders", async () => {
    const { page } = await openPage(server, { path: "/health" });
    await expect.poll(() => page.title()).toBe("Health · pidex");
    const links = page.locator(".file-problems h3 a");
    await links.first().waitFor();
    const listed = await server.json("/api/list?problems=true&archived=yes&subagents=yes&limit=1000");
    const withProblems = new Set(problems.map(({ path }) => path));
    const expected = listed.sessions.filter(({ path }: { path: string }) => withProblems.has(path)).length;
    expect(expected).toBeGreaterThan(3);
    await expect.poll(() => links.count()).toBe(expected);
    expect(await page.locator(".file-problems").count()).toBe(withProblems.size);
    expect(expected).toBeLessThan(withProblems.size); // files that are no sessions have no link

    const files = page.getByRole("columnheader", { name: "Files" });
    await files.getByRole("button").click();
    await expect.poll(() => files.getAttribute("aria-sort")).toBe("descending");

    const title = (await links.first().textContent()) ?? "";
    await links.first().click();
    await page.waitForURL(/\/session\//);
    await page.getByRole("heading", { level: 1, name: title.slice(0, 20) }).waitFor();
  });

  test("runs doctor again after at least a minute or on demand, and reloads problems on each change", async () => {
    const { page } = await openPage(server, { path: "/health" });
    await page.locator(".facts").waitFor();
    const again = page.getByRole("button", { name: "Check again" });
    onTestFinished(() => discardPage(page)); // its clock is stopped
    await page.clock.install();
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    const problemsReloaded = page.waitForResponse(/\/api\/problems/);
    session({ id: "new", cwd: "/home/ada/new" }).user("hello").writeUnder(root);
    await problemsReloaded;
    expect(requested).not.toContain("/api/doctor");
    const byClock = page.waitForResponse(/\/api\/doctor/);
    await page.clock.fastForward(61_000);
    await byClock;
    const byHand = page.waitForResponse(/\/api\/doctor/);
    await again.click();
    await byHand;
    expect(requested.filter((path) => path === "/api/doctor")).toHaveLength(2);
  });
});
