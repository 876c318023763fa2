/** Routes of one session: what they return and what they write. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { image, text } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { serveSynced } from "./serve-synced.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").toString("base64");
const SVG = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>").toString(
  "base64",
);

/** Serves some sessions, with old files, so that none is active. */
async function serving(...sessions: Session[]) {
  const root = join(temporaryFolder(), "sessions");
  const paths = sessions.map((each) => each.writeUnder(root));
  const server = await serveSynced(root);
  const address = (route: string, params: Record<string, string | number>) =>
    `/api/${route}?${new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]))}`;
  return { ...server, root, paths, path: paths[0] as string, address };
}

describe("reading a session", () => {
  test("the outline has parents as distances, and only rows that the client lacks", async () => {
    const talk = session({ id: "talk" }).user("question", { id: "q" }).assistant("first", { id: "a1" });
    talk.label("a1", "dead end", { id: "l" }).branch("q").assistant("second", { id: "a2" });
    const { json, address, path } = await serving(talk);
    const outline = await json(address("outline", { session: "talk", at: "a1", leaf: "l" }));
    expect(outline).toMatchObject({
      from: 0,
      count: 4,
      line: [2, 1, 1, 1],
      up: [0, 1, 1, 3],
      ends: [
        [2, "l"],
        [3, "a2"],
      ],
      labels: [[1, "dead end"]],
      at: 1,
      leaf: 2,
    });
    talk.user("thanks", { id: "t" }).appendTo(path);
    const { mark } = outline;
    await waitUntil(
      "the new entry is known",
      async () => (await json(address("outline", { session: path, from: 4, mark }))).count === 5,
    );
    const more = await json(address("outline", { session: path, from: 4, mark }));
    expect(more).toMatchObject({ from: 4, count: 5, line: [1], up: [1], ends: [[4, "t"]] });
    const unknown = await json(address("outline", { session: path, from: 4, mark: "another" }));
    expect(unknown).toMatchObject({ from: 0, count: 5 });
  });

  test("forks have the lines of their branch points, and a fork has its parent", async () => {
    const talk = session({ id: "talk" }).user("one").assistant("two", { id: "two" }).user("three");
    const fork = talk.fork({ id: "fork", leaf: "two" }).user("four");
    const { json, address, paths } = await serving(talk, fork);
    const result = await json(address("forks", { session: paths[0] as string }));
    expect(result).toEqual({ forks: [{ session: expect.any(Object), line: 3, lineThere: 3 }] });
    expect(result.forks[0].session).toMatchObject({ path: paths[1], id: "fork", firstMessage: "one" });
    const { parent, forks } = await json(address("forks", { session: "fork" }));
    expect([parent.session.id, parent.line, forks]).toEqual(["talk", 3, []]);
  });

  test("long texts are truncated, and images are replaced with their size", async () => {
    const giant = session({ id: "giant" }).user("x".repeat(10_000_000));
    giant.user([text("look"), image(PNG, "image/png")]);
    const { fetch, json, address } = await serving(giant);
    const body = await (await fetch(address("entries", { session: "giant", lines: "2" }))).text();
    expect(body.length).toBeLessThan(250_000);
    expect(body).toContain("[… 9,800,000 more characters]");
    const { entries } = await json(address("entries", { session: "giant", lines: "2-3" }));
    expect(entries[1].entry.message.content[1]).toEqual({
      type: "image",
      mimeType: "image/png",
      byteCount: 16,
    });
  });

  test("only real images of safe types are served, never SVG", async () => {
    const shown = session({ id: "shown" }).user([
      image(PNG, "image/png"),
      image(SVG, "image/svg+xml"),
      image(SVG, "image/png"),
      image(PNG, "text/html"),
      text("no picture"),
    ]);
    const { fetch, address } = await serving(shown);
    const fetchImage = (block: number, line = 2) =>
      fetch(address("image", { session: "shown", line, block }));
    const png = await fetchImage(0);
    expect(png.status).toBe(200);
    expect(png.headers.get("content-type")).toBe("image/png");
    expect(png.headers.get("content-disposition")).toBe("inline");
    expect(png.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(png.headers.get("x-content-type-options")).toBe("nosniff");
    expect(Buffer.from(await png.arrayBuffer()).toString("base64")).toBe(PNG);
    const others = await Promise.all([
      fetchImage(1),
      fetchImage(2),
      fetchImage(3),
      fetchImage(4),
      fetchImage(5),
      fetchImage(0, 99),
    ]);
    expect(others.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  });

  test("tool calls have the files that they read or change, relative to the session's folder", async () => {
    const talk = session({ id: "calls", cwd: "/home/ada/shop" }).user("Go.");
    talk.tool("read", { path: "/home/ada/shop/src/till.ts" }, "text");
    talk.tool("str_replace_based_edit_tool", { command: "create", path: "a.md", file_text: "x" }, "ok");
    talk.tool(
      "apply_patch",
      { input: "*** Begin Patch\n*** Update File: b.ts\n-a\n+b\n*** End Patch" },
      "ok",
    );
    talk.tool("bash", { command: "ls" }, "ok");
    const { json, address } = await serving(talk);
    const { calls } = await json(address("calls", { session: "calls", lines: "3,5,7,9" }));
    expect(calls.flatMap((each: { calls: unknown[] }) => each.calls)).toEqual([
      { tool: "read", about: "src/till.ts", use: "read" },
      { tool: "str_replace_based_edit_tool", about: "a.md", use: "edit" },
      { tool: "apply_patch", about: "b.ts", use: "edit" },
      { tool: "bash", about: "ls" },
    ]);
  });

  test("an ambiguous id returns all candidates", async () => {
    const one = session({ id: "same", cwd: "/home/ada/one" }).user("first");
    const other = session({ id: "same", cwd: "/home/ada/other" }).user("second");
    const { json, fetch, address, paths } = await serving(one, other);
    expect((await fetch(address("session", { session: "same" }))).status).toBe(409);
    const { sessions } = await json(address("candidates", { session: "same" }));
    expect(sessions.map(({ path }: { path: string }) => path).sort()).toEqual([...paths].sort());
    const found = await json(address("session", { session: paths[0] as string }));
    expect(found.session.firstMessage).toBe("first");
  });

  test("the lines that match a search are returned in order", async () => {
    const talk = session({ id: "talk" })
      .user("the tax")
      .assistant("never")
      .user("Tax again")
      .assistant("tax");
    const { json, address } = await serving(talk, session({ id: "other" }).user("tax"));
    expect(await json(address("hits", { session: "talk", query: "tax" }))).toEqual({
      lines: [2, 4, 5],
      more: false,
    });
    const lines = async (query: string) =>
      (await json(address("hits", { session: "talk", query, all: "true" }))).lines;
    expect(await lines("tax OR never")).toEqual([2, 3, 4, 5]);
    expect(await lines("re:[tT]ax a")).toEqual([4]);
    expect(await lines("t")).toEqual([]);
  });

  test("a pattern is searched for from a line on", async () => {
    const talk = session({ id: "talk" }).user("the tax").assistant("a tax").user("no").assistant("tax");
    const { json, fetch, address } = await serving(talk);
    const hits = (from: string) => address("hits", { session: "talk", query: "re:tax", all: "true", from });
    expect(await json(hits("3"))).toEqual({ lines: [3, 5], more: false });
    expect(await json(hits("4"))).toEqual({ lines: [5], more: false });
    expect(await json(hits("6"))).toEqual({ lines: [], more: false });
    expect((await fetch(hits("0"))).status).toBe(400);
  });

  test.runIf(process.platform !== "win32")(
    "hits are found in a file with a backslash, a quote or a space in its path",
    async () => {
      const root = join(temporaryFolder(), 'C:\\work "old"\\my sessions', "sessions");
      session({ id: "talk" }).user("tax").assistant("and vat").writeUnder(root);
      const { json } = await serveSynced(root);
      expect(await json("/api/hits?session=talk&query=tax+OR+vat")).toEqual({ lines: [2, 3], more: false });
      expect(await json("/api/hits?session=talk&query=re:v.t&all=true")).toEqual({ lines: [3], more: false });
    },
  );

  test("invalid parameters are rejected, and missing sessions are not found", async () => {
    const { fetch, address } = await serving(session({ id: "talk" }).user("hello"));
    const status = async (route: string, params: Record<string, string>) =>
      (await fetch(address(route, params))).status;
    expect(await status("entries", { session: "talk", lines: "1;2" })).toBe(400);
    expect(await status("entries", { session: "talk", lines: "1-100000" })).toBe(400);
    expect(await status("outline", { session: "talk", from: "-1" })).toBe(400);
    expect(await status("image", { session: "talk", line: "2" })).toBe(400);
    expect(await status("session", { session: "/etc/passwd" })).toBe(404);
    expect(await status("session", {})).toBe(400);
  });
});

describe("changing a session", () => {
  const lastLine = (path: string) =>
    JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1) as string);

  test("a name, a label, a pin, the archive and tags are one line each at the end of the file", async () => {
    const talk = session({ id: "talk" }).user("question", { id: "q" }).assistant("answer", { id: "a" });
    const { act, path, json, address } = await serving(talk);
    const acts: [string, object, object][] = [
      ["rename", { name: " A\nname " }, { type: "session_info", name: "A name" }],
      ["label", { entryId: "q", label: "here" }, { type: "label", targetId: "q", label: "here" }],
      ["pin", { pinned: true }, { type: "custom" }],
      ["archive", { archived: true }, { type: "custom" }],
      ["tag", { tags: ["tax", "tax", "shop"] }, { type: "custom" }],
    ];
    for (const [question, body, written] of acts) {
      const before = readFileSync(path);
      const done = await act(`/api/${question}`, { session: path, ...body });
      expect([question, done.status]).toEqual([question, 200]);
      const after = readFileSync(path);
      expect(after.subarray(0, before.length).equals(before)).toBe(true);
      const added = after.subarray(before.length).toString();
      expect(added.split("\n").length).toBe(2);
      expect(done.body.sessions[0].lines).toEqual([added.trimEnd()]);
      expect(lastLine(path)).toMatchObject(written);
      // Repeating it changes nothing.
      const again = await act(`/api/${question}`, { session: path, ...body });
      expect(again.body.sessions[0].lines).toEqual([]);
      expect(readFileSync(path).equals(after)).toBe(true);
    }
    const { session: now, labels } = await json(address("session", { session: path }));
    expect(now).toMatchObject({ name: "A name", pinned: true, archived: true, tags: ["tax", "shop"] });
    expect(labels).toMatchObject([{ label: "here", targetId: "q" }]);
  });

  test("a leading # of a tag is ignored", async () => {
    const { act, path, json, address } = await serving(session({ id: "talk" }).user("question"));
    const done = await act("/api/tag", { session: path, tags: ["#tax", "tax", "##shop"] });
    expect([done.status, done.body.sessions[0].tags]).toEqual([200, ["tax", "shop"]]);
    expect(lastLine(path).data).toMatchObject({ tags: ["tax", "shop"] });
    const { session: now } = await json(address("session", { session: path }));
    expect(now.tags).toEqual(["tax", "shop"]);
  });

  test("a large session is changed in a thread, with the same result", async () => {
    const { act, path } = await serving(session({ id: "giant" }).user("x".repeat(17_000_000), { id: "q" }));
    const before = readFileSync(path);
    const pinned = await act("/api/pin", { session: path, pinned: true });
    expect([pinned.status, pinned.body.sessions[0].pinned]).toEqual([200, true]);
    const after = readFileSync(path);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    expect(`${pinned.body.sessions[0].lines}\n`).toBe(after.subarray(before.length).toString());
    expect((await act("/api/pin", { session: path, pinned: true })).body.sessions[0].lines).toEqual([]);
    const none = await act("/api/label", { session: path, entryId: "none", label: "a" });
    expect([none.status, none.body.error.code]).toEqual([404, "NOT_FOUND"]);
    expect(readFileSync(path).equals(after)).toBe(true);
  });

  test.each([
    ["a small session", "hello"],
    ["a large session, in a thread", "x".repeat(17_000_000)],
  ])("%s is compressed and decompressed, with the same bytes; repeating changes nothing", async (_, text) => {
    const { act, path, json } = await serving(session({ id: "one" }).user(text));
    const before = readFileSync(path);
    const compress = (compressed: boolean) => act("/api/compress", { session: "one", compressed });
    const both = await Promise.all([compress(true), compress(true)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both.flatMap(({ body }) => body.compressed)).toMatchObject([{ path, bytes: before.length }]);
    expect([existsSync(path), existsSync(`${path}.zst`)]).toEqual([false, true]);
    // The server's watcher may be reading the file at that moment, and then syncs it again.
    const listed = async () => (await json("/api/list")).sessions[0];
    await expect.poll(listed).toMatchObject({ compressed: true, size: before.length });
    const renamed = await act("/api/rename", { session: "one", name: "x" });
    expect(renamed.body.error.code).toBe("SESSION_COMPRESSED");
    expect((await compress(false)).body.compressed).toMatchObject([{ path, bytes: before.length }]);
    expect((await compress(false)).body.compressed).toEqual([]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect((await act("/api/compress", { session: "none", compressed: true })).status).toBe(404);
  });

  test("a session in the trash is complete and not listed", async () => {
    const home = temporaryFolder();
    const root = join(home, "sessions");
    const path = session({ id: "talk" }).user("bye").writeUnder(root);
    const content = readFileSync(path, "utf8");
    const env = { HOME: home, XDG_DATA_HOME: join(home, "data"), PATH: "" };
    const server = await serveSynced(root, { env });
    const { status, body } = await server.act("/api/trash", { session: path });
    expect(status).toBe(200);
    expect(readFileSync(body.deleted[0].trashPath, "utf8")).toBe(content);
    expect((await server.json("/api/list")).total).toBe(0);
    // It is restored by its path, only inside these roots.
    const elsewhere = await server.act("/api/restore", { session: "/etc/x.jsonl" });
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([404, "NOT_FOUND"]);
    const up = await server.act("/api/restore", { session: `${root}/../x.jsonl` });
    expect([up.status, up.body.error.code]).toEqual([404, "NOT_FOUND"]);
    const back = await server.act("/api/restore", { session: path });
    expect([back.status, back.body.restored]).toEqual([200, [{ path, along: [] }]]);
    expect(readFileSync(path, "utf8")).toBe(content);
    expect((await server.json("/api/list")).total).toBe(1);
    expect((await server.act("/api/restore", { session: path })).status).toBe(404);
    expect((await server.act("/api/trash", { session: path })).status).toBe(200);
  });

  test("an invalid body is rejected, and nothing is written", async () => {
    const { act, path, fetch, origin } = await serving(session({ id: "talk" }).user("q", { id: "q" }));
    const before = readFileSync(path, "utf8");
    const bad: [string, object][] = [
      ["rename", { session: "talk" }],
      ["rename", { session: "talk", name: 5 }],
      ["rename", { session: "talk", name: "a", more: true }],
      ["pin", { session: "talk", pinned: "yes" }],
      ["tag", { session: "talk", tags: ["a", " "] }],
      ["label", { session: "talk", label: "a" }],
      ["rename", { session: "talk", name: "x".repeat(200_000) }],
      ["trash", {}],
    ];
    for (const [question, body] of bad)
      expect([question, (await act(`/api/${question}`, body)).status]).toEqual([question, 400]);
    const none = { method: "POST", headers: { origin, "content-type": "application/json" }, body: "{" };
    expect((await fetch("/api/rename", none)).status).toBe(400);
    expect((await act("/api/label", { session: "talk", entryId: "none", label: "a" })).status).toBe(404);
    const foreign = {
      ...none,
      headers: { ...none.headers, origin: "http://evil.example" },
      body: '{"session":"talk"}',
    };
    expect((await fetch("/api/trash", foreign)).status).toBe(403);
    expect(readFileSync(path, "utf8")).toBe(before);
  });
});
