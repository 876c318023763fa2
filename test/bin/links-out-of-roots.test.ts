/** Links to files outside the roots: sessions there are read, but not written to, and other files are not quoted. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SessionChanges } from "../../bin/picker/service/session-changes.ts";
import { session } from "../../fixtures/builder.ts";
import { openIndex } from "../../library/index.ts";
import { toProjectFolderName } from "../../src/session/locations.ts";
import { pidexAt } from "./cli.ts";
import { serve, type TestServer } from "./web/serve.ts";

/** Lines of a password file, one of which is valid JSON. */
const SECRET = 'root:x:0:0:hunter2:/root:/bin/sh\n424242\n"hunter2"\nhunter2\n';
const QUOTED = /hunter2|424242|root:x/;
const SHOP = "/home/ada/shop";

let folder = "";
let root = "";
let project = "";
let inside = "";
let server: TestServer;
let end = async () => {};
let run: ReturnType<typeof pidexAt>;

/** Old, so that the session does not look active. */
const old = (path: string) => {
  utimesSync(path, new Date("2026-01-05"), new Date("2026-01-05"));
  return path;
};
const outsideFiles = () =>
  [join(folder, "outside.jsonl"), join(folder, "elsewhere", "shared.jsonl")].map((path) =>
    readFileSync(path, "utf8"),
  );

describe.skipIf(process.platform === "win32")("links that leave the roots", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pidex-links-"));
    root = join(folder, "sessions");
    inside = old(session({ id: "inside", cwd: SHOP }).user("Mine.").assistant("Yes.").writeUnder(root));
    project = dirname(inside);
    const talk = (id: string) => session({ id, cwd: SHOP }).user("Of others.").assistant("Yes.");
    old(talk("outside").write(join(folder, "outside.jsonl")));
    old(talk("shared").write(join(folder, "elsewhere", "shared.jsonl")));
    writeFileSync(join(folder, "elsewhere", "passwd.jsonl"), SECRET);
    writeFileSync(join(folder, "secret.txt"), SECRET);
    symlinkSync(join(folder, "secret.txt"), join(project, "secret.jsonl"));
    symlinkSync(join(folder, "outside.jsonl"), join(project, "outside.jsonl"));
    symlinkSync(join(folder, "elsewhere"), join(root, "linked"));
    // A link within the root, and a project with its folder elsewhere.
    symlinkSync(inside, join(project, "alias.jsonl"));
    mkdirSync(join(folder, "moved"));
    symlinkSync(join(folder, "moved"), join(root, toProjectFolderName("/home/ada/moved")));
    run = pidexAt(root, folder);
    await run(["index"]);
    const atEnd = (stop: () => Promise<void>) => {
      end = stop;
    };
    server = await serve(root, { db: join(folder, "index.db"), atEnd });
  });
  afterAll(async () => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  });

  test("sessions behind them are listed under the link's path, and read", async () => {
    const { out } = await run(["list", "--json"]);
    const paths = (JSON.parse(out).sessions as { path: string }[]).map(({ path }) => path).sort();
    expect(paths).toEqual(
      [
        inside,
        join(project, "alias.jsonl"),
        join(project, "outside.jsonl"),
        join(root, "linked", "shared.jsonl"),
      ].sort(),
    );
    expect((await run(["show", "shared"])).out).toContain("Of others.");
  });

  test("what is behind them is quoted by no problem, whichever way the file is synced", async () => {
    await using index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
    const link = join(project, "secret.jsonl");
    for (const sync of [() => index.syncFiles([link]), () => index.sync()]) {
      writeFileSync(join(folder, "secret.txt"), SECRET, { flag: "a" });
      await sync();
      const problems = (await index.problems()).filter(({ path }) => path === link);
      expect(problems.map(({ code }) => code)).toEqual(["outside_roots"]);
      expect(JSON.stringify(problems)).not.toMatch(QUOTED);
    }
  });

  test("commands refuse to write through them", async () => {
    const before = outsideFiles();
    for (const id of ["outside", "shared"]) {
      for (const argv of [
        ["name", id, "Taken"],
        ["pin", id],
        ["archive", id],
        ["tag", id, "taken"],
        ["label", id, "@last", "taken"],
        ["move", id, "/home/ada/blog"],
        ["delete", id, "--yes"],
        ["delete", id, "--yes", "--permanent"],
        ["delete", id, "--dry-run"],
      ]) {
        const { exit, err } = await run(argv);
        expect([argv.join(" "), exit, err]).toEqual([
          argv.join(" "),
          expect.toSatisfy((code) => code !== 0),
          expect.stringMatching(/leads outside the session folders|no entry/),
        ]);
      }
    }
    expect(outsideFiles()).toEqual(before);
    expect(lstatSync(join(project, "outside.jsonl")).isSymbolicLink()).toBe(true);
    expect(existsSync(join(folder, "elsewhere", "shared.jsonl.bak"))).toBe(false);
  });

  test("no session is moved or forked through them", async () => {
    const text = readFileSync(inside, "utf8");
    for (const argv of [
      ["move", inside, "/home/ada/moved"],
      ["fork", inside, "--cwd", "/home/ada/moved"],
    ]) {
      const { exit, err } = await run(argv);
      expect([argv[0], exit, err]).toEqual([
        argv[0],
        expect.toSatisfy((code) => code !== 0),
        expect.stringContaining("leads outside the session folders"),
      ]);
    }
    expect(readFileSync(inside, "utf8")).toBe(text);
    // Forking only reads the source, and writes inside the root.
    const { exit, out, err } = await run(["fork", "outside", "--cwd", SHOP]);
    expect([exit, err, dirname(out.trim())]).toEqual([0, "", project]);
    rmSync(out.trim());
  });

  test("the page refuses to write through them", async () => {
    const before = outsideFiles();
    for (const id of ["outside", "shared"]) {
      for (const [act, more] of [
        ["rename", { name: "Taken" }],
        ["pin", { pinned: true }],
        ["archive", { archived: true }],
        ["tag", { tags: ["taken"] }],
        ["trash", {}],
      ] as const) {
        const { status, body } = await server.act(`/api/${act}`, { session: id, ...more });
        expect([act, status, body.error?.message]).toEqual([
          act,
          409,
          expect.stringContaining("leads outside the session folders"),
        ]);
      }
    }
    expect(outsideFiles()).toEqual(before);
  });

  test("the picker refuses to write through them", async () => {
    const before = outsideFiles();
    const index = await openIndex({ db: join(folder, "index.db"), roots: [root] });
    const picker = new SessionChanges(index);
    const path = join(root, "linked", "shared.jsonl");
    for (const act of [
      picker.rename(path, "Taken"),
      picker.label(path, "x", "taken"),
      picker.pin([path]),
      picker.archive([path]),
      picker.tag([path], ["taken"]),
      picker.fork(path),
      picker.move(path, folder),
      picker.delete([path]),
    ])
      await expect(act).rejects.toThrow("leads outside the session folders");
    await index.close();
    expect(outsideFiles()).toEqual(before);
  });

  test("files behind them that are not sessions are not quoted", async () => {
    const problems = (await server.json("/api/problems")).problems as {
      path: string;
      code: string;
      line: number;
    }[];
    expect(problems.map(({ path, code, line }) => [path, code, line])).toEqual([
      [join(project, "secret.jsonl"), "outside_roots", 0],
      [join(root, "linked", "passwd.jsonl"), "outside_roots", 0],
    ]);
    const outputs = [
      JSON.stringify(problems),
      (await run(["stats", "--problems", "--json"])).out,
      (await run(["stats", "--problems"])).out,
      (await run(["doctor", "--json"])).out,
      (await run(["secrets"])).out,
      (await run(["search", "hunter2"])).out,
      ...(await Promise.all(
        [join(project, "secret.jsonl"), join(root, "linked", "passwd.jsonl")].flatMap((file) => [
          run(["show", file]).then(({ out, err }) => out + err),
          run(["export", file]).then(({ out, err }) => out + err),
          ...[0, SECRET.indexOf("424242")].map(async (offset) => {
            const answer = await server.fetch(
              `/api/line?${new URLSearchParams({ file, line: "1", offset: String(offset) })}`,
            );
            expect([file, answer.status]).toEqual([file, 404]);
            return answer.text();
          }),
        ]),
      )),
    ];
    expect(outputs.filter((text) => QUOTED.test(text))).toEqual([]);
  });

  test("a verify finds no differences, and a rebuild has the same result", async () => {
    const problems = async () => (await run(["stats", "--problems", "--json"])).out;
    const before = await problems();
    expect(await run(["verify"])).toMatchObject({ exit: 0 });
    expect(await run(["rebuild"])).toMatchObject({ exit: 0 });
    expect(await problems()).toBe(before);
    expect(before).toContain("outside_roots");
  });

  test("a file that replaced a session since it was indexed is not quoted", async () => {
    const path = join(root, "linked", "late.jsonl");
    session({ id: "late", cwd: SHOP }).user("Why?").write(path);
    await run(["index"]);
    const line = `/api/line?${new URLSearchParams({ file: path, line: "1", offset: "0" })}`;
    expect((await server.fetch(line)).status).toBe(200);
    writeFileSync(path, SECRET);
    const answer = await server.fetch(line);
    expect([answer.status, QUOTED.test(await answer.text())]).toEqual([404, false]);
    rmSync(path);
  });

  test("sessions behind a root that is a link, and behind links within the roots, can be changed", async () => {
    expect((await run(["name", join(project, "alias.jsonl"), "By its alias"])).exit).toBe(0);
    expect(readFileSync(inside, "utf8")).toContain("By its alias");
    const link = join(folder, "root-link");
    symlinkSync(root, link);
    const elsewhere = pidexAt(link, join(folder, "other"));
    const path = inside.replace(root, link);
    expect(await elsewhere(["name", path, "By the root's link"])).toMatchObject({ exit: 0 });
    expect(readFileSync(inside, "utf8")).toContain("By the root's link");
  });
});
