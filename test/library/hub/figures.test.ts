import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { type HubIndex, USAGE_DIMENSIONS, type UsageOptions } from "../../../library/index.ts";
import { startHub, type TestHub } from "../../bin/hub/hubs.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { addFile, openAs, settleShelves } from "./hub-files.ts";

/** In every text of the team's session. Names of projects, models and tools are figures, not content. */
const CANARY = "zanzibar";

describe.skipIf(!hasPostgres)("a reader with the role figures", () => {
  const closing = new AsyncDisposableStack();
  let hub: TestHub;
  let index: HubIndex;
  let ofOwner: HubIndex;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
    closing.defer(() => rmSync(folder, { recursive: true }));
    hub = closing.use(await startHub());
    const eve = await hub.add("eve", "figures");
    const team = join(folder, `${CANARY}-team.jsonl`);
    const talk = session({ id: CANARY, cwd: `/home/ada/${CANARY}` }).user(`the ${CANARY}`);
    talk.label(talk.lastId, CANARY).name(CANARY);
    talk
      .assistant(CANARY)
      .tool("read", { path: `${CANARY}.ts` }, CANARY)
      .assistant("done")
      .write(team);
    await addFile(hub, hub.owner, team, { project: "shop" });
    // A fork with copies of the team's events, in a project that ada keeps to herself.
    const copy = join(folder, `${CANARY}-copy.jsonl`);
    talk
      .fork({ id: `${CANARY}-copy` })
      .user("more")
      .assistant("more")
      .write(copy);
    await addFile(hub, hub.owner, copy);
    const own = join(folder, "own.jsonl");
    session({ id: "own", cwd: "/home/eve/notes" }).user("my notes").assistant("noted").write(own);
    await addFile(hub, eve, own);
    await settleShelves(hub);
    index = closing.use(await openAs(hub, eve));
    ofOwner = closing.use(await openAs(hub, hub.owner));
  });
  afterAll(() => closing.disposeAsync());

  test("sees the cost of the team's projects, by their names, with that of their own sessions", async () => {
    const { rows, total } = await index.usage({ by: ["project"] });
    expect(rows.map(({ key }) => key.project).sort()).toEqual(["/home/eve/notes", "shop"]);
    const team = await ofOwner.usage({ by: ["project"] });
    const shop = rows.find(({ key }) => key.project === "shop");
    expect(shop?.costUsd).toBeGreaterThan(0);
    expect(shop?.tokens.total).toBeGreaterThan(0);
    expect(total.events).toBe(4);
    expect(team.rows.map(({ key }) => key.project)).toEqual([`/home/ada/${CANARY}`]);
  });

  test("can filter by the name of a project, but not find out a folder", async () => {
    const costOf = async (options: UsageOptions) => (await index.usage(options)).total.events;
    expect(await costOf({ project: "shop" })).toBe(3);
    expect(await costOf({ project: "notes" })).toBe(1);
    expect(await costOf({ project: CANARY })).toBe(0);
    expect(await costOf({ cwd: `/home/ada/${CANARY}` })).toBe(0);
    expect(await costOf({ machine: "ada-laptop" })).toBe(0);
    expect(await costOf({ person: "ada" })).toBe(3);
  });

  test("sees no content in any breakdown, event or total", async () => {
    const answers = [
      ...(await Promise.all(
        USAGE_DIMENSIONS.filter((by) => by !== "session").map((by) =>
          index.usage({ by: [by, by === "model" ? "day" : "model"] }),
        ),
      )),
      await Array.fromAsync(index.usageEvents()),
      await Array.fromAsync(index.usageEvents({ kind: "user" })),
      await index.stats(),
    ];
    expect(JSON.stringify(answers)).not.toContain(CANARY);
    expect(JSON.stringify(answers)).not.toContain("ada-laptop");
  });

  test("gets the events of the team without their places, and their own with them", async () => {
    const events = await Array.fromAsync(index.usageEvents());
    const places = events.map(({ path, line, sessionId, entryId }) => ({ path, line, sessionId, entryId }));
    const [own] = places.filter(({ sessionId }) => sessionId === "own");
    expect(own?.path).toMatch(/^eve-laptop:.*own\.jsonl$/);
    const hidden = { path: "shop", line: 0, sessionId: "", entryId: null };
    expect(places.filter((place) => place !== own)).toEqual([hidden, hidden, hidden]);
    expect(events.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0)).toBe(
      (await index.usage()).total.costNanoUsd,
    );
  });

  test("cannot break usage down by session, nor see what a session of the team cost", async () => {
    await expect(index.usage({ by: ["session"] })).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    await expect(index.usage({ session: CANARY })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(index.spend(CANARY)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("sees everything of their own sessions", async () => {
    expect((await index.spend("own")).own.events).toBe(1);
    expect((await index.usage({ session: "own" })).total.events).toBe(1);
    expect((await index.search("notes")).sessions.map(({ session }) => session.id)).toEqual(["own"]);
    expect((await index.listAll()).sessions.map(({ id }) => id)).toEqual(["own"]);
  });

  test("counts the sessions of the team in totals, which list only their own projects", async () => {
    const { sessions, projects, costUsd } = await index.stats();
    expect([sessions, projects]).toEqual([2, [{ name: "/home/eve/notes", count: 1 }]]);
    expect(costUsd).toBe((await index.usage()).total.costUsd);
  });
});
