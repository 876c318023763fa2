import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { writeSignIn } from "../../../library/hub/sign-in.ts";
import { addFile, settleShelves } from "../../library/hub/hub-files.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { pidex } from "../cli.ts";
import { startHub, type TestHub } from "../hub/hubs.ts";

describe.skipIf(!hasPostgres)("with --hub", () => {
  const closing = new AsyncDisposableStack();
  let hub: TestHub;
  let folder: string;
  let onHub: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
    closing.defer(() => rmSync(folder, { recursive: true }));
    hub = closing.use(await startHub());
    const path = join(folder, "till.jsonl");
    const talk = session({ id: "till", cwd: "/home/ada/shop" }).user("Round the tax.");
    talk.label(talk.lastId, "done").custom("pidex", { tags: ["accounts"] });
    talk.tool("edit", { path: "src/tax.ts" }, "ok").write(path);
    await addFile(hub, hub.owner, path);
    await settleShelves(hub);
    onHub = `${hub.owner.machine}:${path}`;
    const { token, machine, person } = hub.owner;
    writeSignIn({ url: hub.url, token, machine, person }, { PIDEX_CONFIG: folder });
  });
  afterAll(() => closing.disposeAsync());
  afterEach(() => vi.unstubAllEnvs());

  const run = (argv: string[]) => {
    vi.stubEnv("PIDEX_CONFIG", folder);
    return pidex(argv);
  };

  test.each([
    [["list"], "Round the tax."],
    [["list", "--json"], '"id":"till"'],
    [["search", "tax"], "tax"],
    [["search", "--flat", "--json", "tax"], '"sessionId":"till"'],
    [["show", "till"], "Round the tax."],
    [["show", "@last", "--context"], "Round the tax."],
    [["tree", "till"], "[done]"],
    [["files", "tax.ts"], "src/tax.ts"],
    [["labels"], "done"],
    [["tags"], "accounts"],
    [["list", "--person", "ada", "--machine", "ada-*"], "Round the tax."],
    [["search", "tax", "machine:ada-laptop"], "tax"],
    [["usage", "person"], "ada"],
    [["usage", "daily", "--explain"], "till.jsonl:"],
    [["spend", "till"], "own"],
    [["stats"], "sessions"],
    [["stats", "--json"], '"sessions":1'],
  ])("%s reads the sessions of the hub", async (argv, expected) => {
    const { out, err, exit } = await run([...argv, "--hub"]);
    expect([exit, err]).toEqual([0, ""]);
    expect(out).toContain(expected);
  });

  test("paths in queries are those of this machine", async () => {
    const here = join(folder, "here");
    const path = join(here, "web.jsonl");
    const talk = session({ id: "web", cwd: process.cwd() }).user("A walrus.");
    talk.tool("edit", { path: join(process.cwd(), "a.ts") }, "ok").tool("edit", { path: "~/b.ts" }, "ok");
    talk.tool("edit", { path: join(folder, "c.ts") }, "ok");
    talk.tool("edit", { path: "~/app/[slug]/{a,b},c.ts" }, "ok");
    talk.tool("edit", { path: join(folder, "pages", "[id]", "d.ts") }, "ok").write(path);
    await addFile(hub, hub.owner, path);
    await settleShelves(hub);
    vi.stubEnv("HOME", folder);
    const found = [
      "cwd:.",
      "file:./a.ts",
      "file:~/b.ts",
      "file:~/c.ts",
      "session:~/here/web.jsonl",
      "(cwd:~ OR cwd:.)",
      'file:"~/app/[slug]/{a,b},c.ts"',
      'file:"~/app/[slug]/"',
      'file:"~/pages/[id]/"',
    ];
    for (const field of found) {
      expect([field, (await run(["search", "walrus", field, "--strict", "--hub"])).exit]).toEqual([field, 0]);
    }
    expect((await run(["search", "walrus", "cwd:~", "--strict", "--hub"])).exit).toBe(3);
    for (const name of ["~/here/web.jsonl", relative(process.cwd(), path), `"~/here/web.jsonl"`]) {
      expect([name, (await run(["search", name, "--hub", "--flat", "--json"])).out]).toEqual([
        name,
        expect.stringContaining('"sessionId":"web"'),
      ]);
    }
    const literal = ["~/app/[slug]/", "~/app/[slug]/{a,b},c.ts", "~/pages/[id]/d.ts"];
    for (const pattern of ["./a.ts", "~/b.ts", "~/c.ts", "~/", "./*.ts", "~/{b,x}.ts", ...literal]) {
      expect([pattern, (await run(["files", pattern, "--hub"])).exit]).toEqual([pattern, 0]);
    }
    expect((await run(["files", "~/{x,y}.ts", "--hub"])).exit).toBe(3);
    for (const argv of [
      ["list", "--cwd", "."],
      ["list", "--here"],
    ]) {
      expect((await run([...argv, "--hub"])).out).toContain("walrus");
    }
    await hub.owner.client.forget([path]);
  });

  test("paths begin with the machine, and name the session again", async () => {
    const { out } = await run(["list", "--json", "--hub"]);
    expect(JSON.parse(out).sessions[0].path).toBe(onHub);
    expect((await run(["show", onHub, "--hub"])).exit).toBe(0);
  });

  test("usage --session takes a path of this machine, or with the machine", async () => {
    const path = join(folder, "till.jsonl");
    vi.stubEnv("HOME", folder);
    const usageOf = async (session: string) =>
      (await run(["usage", "daily", "--session", session, "--json", "--hub"])).out;
    const totalOf = async (session: string) => JSON.parse(await usageOf(session)).usage.total;
    const expected = await totalOf("till");
    expect(expected.tokens.input).toBeGreaterThan(0);
    for (const name of [path, onHub, "~/till.jsonl", relative(process.cwd(), path)]) {
      expect([name, await totalOf(name)]).toEqual([name, expected]);
    }
    const missing = await run(["usage", "--session", "~/nosuch.jsonl", "--hub"]);
    expect([missing.exit, missing.err]).toEqual([3, expect.stringContaining(`"${folder}/nosuch.jsonl"`)]);
  });

  test("--project matches the end of a folder's path, as it does without --hub: it resolves no path", async () => {
    const db = join(folder, "local.db");
    const roots = ["--db", db, "--root", folder];
    for (const project of [".", "..", "~", "shop", "ada/shop", "/home/ada/shop", "/ada/shop"]) {
      const argv = ["list", "--project", project, "--json"];
      const ids = ({ out }: { out: string }) => JSON.parse(out).sessions.map(({ id }: { id: string }) => id);
      const [onHub, here] = [await run([...argv, "--hub"]), await run([...argv, ...roots])];
      expect([project, ids(onHub)]).toEqual([project, ids(here)]);
      expect([project, onHub.exit]).toEqual([project, here.exit]);
    }
    expect((await run(["list", "--project", "shop", "--hub"])).out).toContain("Round the tax.");
  });

  test("PIDEX_HUB=1 is the same, unless the flags say which files to index", async () => {
    vi.stubEnv("PIDEX_HUB", "1");
    expect((await run(["list"])).out).toContain(onHub);
    const empty = join(folder, "empty.db");
    expect((await run(["list", "--db", empty, "--root", import.meta.dirname])).out).toBe("");
  });

  test.each([[["search", "--substring", "tax"]], [["list", "--json", "--text"]]])(
    "%s is refused, because it reads session files",
    async (argv) => {
      const { err, exit } = await run([...argv, "--hub"]);
      expect([exit, err]).toEqual([2, expect.stringContaining("reads session files")]);
    },
  );

  test("MCP over HTTP is refused, because its page serves session files", async () => {
    expect(await run(["mcp", "--http", "--hub"])).toMatchObject({
      exit: 2,
      err: expect.stringContaining("only the sessions on this machine"),
    });
  });

  test("it cannot be combined with the options of the local index", async () => {
    expect((await run(["list", "--hub", "--root", folder])).exit).toBe(2);
  });

  test("a command that needs the file says how to get it", async () => {
    const db = join(folder, "local.db");
    const { err, exit } = await run(["resume", onHub, "--db", db, "--root", import.meta.dirname]);
    expect([exit, err]).toEqual([3, expect.stringContaining("pidex pull")]);
  });

  test("a machine that is not signed in is told how to sign in", async () => {
    vi.stubEnv("PIDEX_CONFIG", join(folder, "none"));
    const { err, exit } = await pidex(["list", "--hub"]);
    expect([exit, err]).toEqual([1, expect.stringContaining("pidex hub join")]);
  });
});
