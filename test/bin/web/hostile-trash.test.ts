/** The trash with hostile notes, requests and names. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { ATTACKS, ODD_IDS } from "./hostile-root.ts";
import { serve, type TestServer } from "./serve.ts";
import { expectHarmless } from "./suspects.ts";

let folder = "";
let root = "";
let files = "";
let server: TestServer;
let end = async () => {};

/** Puts a file into the trash, with a note that says where it was. */
function trash(
  name: string,
  note: string,
  content: string | Buffer = session({ id: name }).user("x").bytes(),
) {
  writeFileSync(join(files, name), content);
  writeFileSync(join(files, "..", "info", `${name}.trashinfo`), note);
}
const noteOf = (path: string) => `[Trash Info]\nPath=${path}\nDeletionDate=2026-01-05T09:00:00\n`;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pidex-trash-")));
  root = join(folder, "sessions");
  files = join(folder, "data", "Trash", "files");
  for (const each of [files, join(files, "..", "info"), join(folder, "outside"), root])
    mkdirSync(each, { recursive: true });
  session({ id: "kept" })
    .user("Kept")
    .write(join(root, "--home-ada--", "kept.jsonl"));
  server = await serve(root, {
    db: join(folder, "index.db"),
    env: { HOME: folder, XDG_DATA_HOME: join(folder, "data"), PATH: "" },
    atEnd: (stop) => {
      end = stop;
    },
  });
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

/** The status of a request with exactly these headers. */
function statusOf(path: string, method: string, headers: Record<string, string>, body = ""): Promise<number> {
  const { hostname, port } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject).end(body);
  });
}

test("only the page lists and restores: no other origin, host or method, and nothing without the key", async () => {
  const path = join(root, "--home-ada--", "guarded.jsonl");
  trash("guarded.jsonl", noteOf(path));
  const { host, port } = new URL(server.origin);
  const { origin, authorization } = server;
  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ session: path });
  const foreign: readonly [number, Record<string, string>][] = [
    [401, { host, origin }],
    [401, { host, origin, authorization: `Bearer ${"x".repeat(43)}` }],
    [403, { host, authorization, origin: "http://evil.example" }],
    [403, { host, authorization, origin: "null" }],
    [403, { host, authorization, origin: `http://localhost:${port}` }],
    [403, { host, authorization, origin, "sec-fetch-site": "cross-site" }],
    [403, { host, authorization, origin, "sec-fetch-site": "same-site" }],
    [403, { host: `evil.example:${port}`, authorization, origin }],
    [403, { host: "evil.example", authorization, origin: "http://evil.example" }],
  ];
  for (const [status, headers] of foreign) {
    expect([headers, await statusOf("/api/trashed", "GET", headers)]).toEqual([headers, status]);
    const asked = await statusOf("/api/restore", "POST", { ...json, ...headers }, body);
    expect([headers, asked]).toEqual([headers, status]);
  }
  // Lists need no Origin, which browsers do not send with GET; changes do.
  expect(await statusOf("/api/trashed", "GET", { host, authorization })).toBe(200);
  expect(await statusOf("/api/restore", "POST", { host, authorization, ...json }, body)).toBe(403);
  for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
    const address = `/api/restore?session=${encodeURIComponent(path)}`;
    expect([method, await statusOf(address, method, { host, authorization, origin, ...json })]).toEqual([
      method,
      404,
    ]);
  }
  expect(await statusOf("/api/trashed", "POST", { host, authorization, origin, ...json }, "{}")).toBe(404);
  // A ticket is a key in an address: it downloads exports and tables only.
  for (const address of [
    "/api/trashed",
    "/api/restore",
    "/api/export/../trashed",
    "/api/export%2f..%2ftrashed",
  ])
    expect([address, (await server.act("/api/ticket", { address })).status]).toEqual([address, 400]);
  expect(existsSync(path)).toBe(false);
  expect((await server.act("/api/restore", { session: path })).status).toBe(200);
  expect(existsSync(path)).toBe(true);
});

test("no note and no request puts a file outside the session folders, or over another", async () => {
  const outside = join(folder, "outside");
  const inside = join(root, "--home-ada--");
  symlinkSync(outside, join(root, "--link--"));
  const taken = join(inside, "kept.jsonl");
  const kept = readFileSync(taken, "utf8");
  trash("up.jsonl", noteOf(`${inside}/../../outside/up.jsonl`));
  trash("encoded.jsonl", noteOf(`${inside}/%2e%2e/%2E%2E/outside/encoded.jsonl`));
  trash("slash.jsonl", noteOf(`${inside}/..%2f..%2foutside%2fslash.jsonl`));
  trash("two.jsonl", `[Trash Info]\nPath=${outside}/two.jsonl\nPath=${inside}/two.jsonl\n`);
  trash("link.jsonl", noteOf(join(root, "--link--", "link.jsonl")));
  trash("relative.jsonl", noteOf("relative.jsonl"));
  trash("nul.jsonl", noteOf(`${inside}/a%00.jsonl`));
  trash("escape.jsonl", noteOf(`${inside}/%zz.jsonl`));
  trash("none.jsonl", "no note");
  trash("long.jsonl", noteOf(`${inside}/${"x".repeat(100_000)}.jsonl`));
  trash("taken.jsonl", noteOf(taken));
  if (process.platform !== "win32") {
    execFileSync("mkfifo", [join(files, "pipe.jsonl")]);
    writeFileSync(join(files, "..", "info", "pipe.jsonl.trashinfo"), noteOf(join(inside, "pipe.jsonl")));
  }
  const { trashed } = await server.json("/api/trashed");
  const listed = trashed.map(({ trashPath }: { trashPath: string }) => trashPath);
  for (const name of ["up", "encoded", "slash", "two", "relative", "escape", "none", "long", "pipe"])
    expect([name, listed.includes(join(files, `${name}.jsonl`))]).toEqual([name, false]);
  for (const name of readdirSync(files)) {
    for (const asked of [
      join(files, name),
      join(files, "..", "files", name),
      `../Trash/files/${name}`,
      name,
    ]) {
      const { status, body } = await server.act("/api/restore", { session: asked });
      expect([asked, status, body.error?.code]).toEqual([
        asked,
        expect.toSatisfy((code) => code >= 400 && code < 500),
        expect.stringMatching(/^[A-Z_]+$/),
      ]);
    }
  }
  expect(readdirSync(outside)).toEqual([]);
  expect(readFileSync(taken, "utf8")).toBe(kept);
});

describeInBrowser("hostile sessions", () => {
  test("are text in the trash, in what asks before it, and in what it says", async () => {
    ATTACKS.forEach((attack, n) => {
      const talk = session({ id: ODD_IDS[n] ?? "", cwd: `/home/ada/${attack.replaceAll("\n", " ")}` });
      const name = `${n}-${attack.replace(/[^\x20-\x7e]|\//g, "_").slice(0, 100)}.jsonl`;
      const path = join(root, "--home-ada--", name);
      trash(name, noteOf(path.replaceAll("%", "%25")), talk.user(attack).name(attack).bytes());
    });
    const { page, complaints } = await openPage(server, { path: "/trash" });
    const rows = page.locator(".result");
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(ATTACKS.length);
    await expectHarmless(page, "the trash");
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    const bar = page.getByRole("toolbar", { name: "Selected sessions" });
    await rows
      .filter({ hasText: "<iframe class=theirs" })
      .first()
      .getByRole("button", { name: /^Restore/ })
      .click();
    await bar.getByText("Restored 1 session.").waitFor();
    await expectHarmless(page, "a restored session");
    await bar.getByRole("link", { name: "Open" }).click();
    await page.getByRole("region", { name: "Transcript" }).waitFor();
    await page.getByLabel("More", { exact: true }).click();
    await page.getByRole("button", { name: "Export…" }).click();
    await page.getByRole("dialog").waitFor();
    await expectHarmless(page, "the export");
    await page.keyboard.press("Escape");
    await page.getByLabel("More", { exact: true }).click();
    await page.getByRole("button", { name: "Move to trash…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Move to trash" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await expectHarmless(page, "a session that was moved to the trash");
    // The browser logs that the session is gone.
    expect(complaints.splice(0).every((message) => message.includes("404"))).toBe(true);
  });
});
