import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { type HubIndex, type ListOptions, openIndex } from "../../../library/index.ts";
import { type SignedIn, startHub } from "../../bin/hub/hubs.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { addFile, openAs, settleShelves } from "./hub-files.ts";

describe.skipIf(!hasPostgres)("sessions of several machines and people", () => {
  const closing = new AsyncDisposableStack();
  let index: HubIndex;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
    closing.defer(() => rmSync(folder, { recursive: true }));
    const hub = closing.use(await startHub());
    let day = 0;
    const add = async (id: string, of: SignedIn, options?: { project: string }) => {
      const path = join(folder, `${id}.jsonl`);
      // Events at the same time would be copies of each other.
      const timestamp = `2026-01-0${++day}T09:00:00.000Z`;
      session({ id, cwd: "/home/ada/shop", timestamp }).user("the tax").assistant("the total").write(path);
      await addFile(hub, of, path, options);
    };
    await add("laptop", hub.owner);
    await add("desktop", await hub.addMachine(hub.owner, "ada-desktop"));
    await add("bobs", await hub.add("bob", "member"), { project: "shop" });
    await settleShelves(hub);
    index = closing.use(await openAs(hub, hub.owner));
  });
  afterAll(() => closing.disposeAsync());

  test("have the names of both", async () => {
    const { sessions } = await index.listAll();
    const names = sessions.map(({ id, machine, person }) => `${id} ${machine} ${person}`);
    expect(names.sort()).toEqual(["bobs bob-laptop bob", "desktop ada-desktop ada", "laptop ada-laptop ada"]);
  });

  test.each<[ListOptions, string[]]>([
    [{ machine: "ada-laptop" }, ["laptop"]],
    [{ machine: "*laptop" }, ["bobs", "laptop"]],
    [{ person: "ada" }, ["desktop", "laptop"]],
    [{ person: "ada", machine: "bob-laptop" }, []],
  ])("are listed by them: %j", async (options, expected) => {
    expect((await index.listAll(options)).sessions.map(({ id }) => id).sort()).toEqual(expected);
  });

  test.each([
    ["tax machine:ada-desktop", ["desktop"]],
    ["tax person:bob", ["bobs"]],
    ["tax -person:bob", ["desktop", "laptop"]],
    ["tax person:ada,bob", ["bobs", "desktop", "laptop"]],
  ])("are searched by them: %s", async (query, expected) => {
    const { sessions } = await index.search(query, { strict: true });
    expect(sessions.map(({ session }) => session.id).sort()).toEqual(expected);
  });

  test("their names are completed", async () => {
    expect((await index.complete("machine:")).options.map(({ text }) => text).sort()).toEqual([
      "ada-desktop",
      "ada-laptop",
      "bob-laptop",
    ]);
    expect((await index.complete("person:a")).options).toEqual([{ text: "ada", sessions: 2 }]);
  });

  test("their usage is broken down and filtered by them", async () => {
    const { rows } = await index.usage({ by: ["machine", "person"] });
    expect(rows.map(({ key, events }) => `${key.machine} ${key.person} ${events}`).sort()).toEqual([
      "ada-desktop ada 1",
      "ada-laptop ada 1",
      "bob-laptop bob 1",
    ]);
    expect((await index.usage({ person: "ada" })).total.events).toBe(2);
    expect((await Array.fromAsync(index.usageEvents({ machine: "bob-laptop" }))).length).toBe(1);
  });
});

test("a local index has no machines: filters by them find nothing, and usage has one row", async () => {
  const root = temporaryFolder();
  session({ id: "a" }).user("the tax").assistant("the total").writeUnder(root);
  await using index = await openIndex({ db: join(temporaryFolder(), "index.db"), roots: [root] });
  await index.sync();
  expect("machine" in (await index.find("a"))).toBe(false);
  expect((await index.listAll({ machine: "*" })).sessions).toEqual([]);
  expect((await index.search("tax person:ada", { strict: true })).sessions).toEqual([]);
  expect((await index.complete("machine:")).options).toEqual([]);
  expect((await index.usage({ by: ["machine"] })).rows.map(({ key }) => key)).toEqual([{ machine: null }]);
});
