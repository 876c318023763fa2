/** `pidex hub forget` and `pidex push` of a machine, in this process. */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { PushJson } from "../../../bin/cli/transfer-answers.ts";
import { session } from "../../../fixtures/builder.ts";
import { writeSignIn } from "../../../library/hub/sign-in.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidex, strict } from "../cli.ts";
import { startHub, type TestHub } from "../hub/hubs.ts";

afterEach(() => vi.unstubAllEnvs());

/** Makes this process run as on a signed-in machine with its own home folder. */
function useMachine(hub: TestHub): string {
  const home = join(temporaryFolder(), "home");
  mkdirSync(home, { recursive: true });
  for (const name of ["PIDEX_CONFIG", "PIDEX_DB", "PIDEX_ROOTS", "PI_CODING_AGENT_DIR"]) vi.stubEnv(name, "");
  for (const name of ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"]) vi.stubEnv(name, "");
  vi.stubEnv("HOME", home);
  vi.stubEnv("TMPDIR", home);
  const { token, machine, person } = hub.owner;
  writeSignIn({ url: hub.url, token, machine, person });
  return home;
}

const NOTICE =
  "1 session was forgotten on the hub and is not pushed; pidex hub forget --undo SESSION lets it be pushed again";

test.skipIf(!hasPostgres)("a forgotten session is pushed again only after an undo", async () => {
  await using hub = await startHub();
  const home = useMachine(hub);
  const shop = join(home, "shop");
  const talk = session({ id: "abc-1", cwd: shop }).user("hello");
  const path = talk.writeUnder(join(home, ".pi/agent/sessions"));
  await pidex(["share", shop]);
  await pidex(["push"]);
  const count = async () => (await hub.pool.query("SELECT 1 FROM file")).rows.length;
  expect(await count()).toBe(1);
  expect((await pidex(["hub", "forget", "abc", "--dry-run"])).exit).toBe(0);
  expect(await count()).toBe(1);
  expect((await pidex(["hub", "forget", "abc", "--yes"])).exit).toBe(0);
  expect(await count()).toBe(0);

  appendFileSync(path, `${session({ id: "x" }).user("more").lines[1]}\n`);
  const pushed = await pidex(["push"]);
  expect(pushed).toMatchObject({ exit: 0, out: "1 shared session: up to date\n" });
  expect(pushed.err).toContain(NOTICE);
  const again = await pidex(["push", "--json"]);
  const { push } = JSON.parse(again.out);
  strict(PushJson).parse(push);
  expect([again.exit, push]).toMatchObject([
    0,
    { sent: 0, failed: [], forgotten: [{ path, sessionId: "abc-1" }] },
  ]);
  expect(JSON.parse((await pidex(["push", "--dry-run", "--json"])).out).projects).toMatchObject([
    { sessions: 0 },
  ]);
  expect(await count()).toBe(0);

  expect(await pidex(["hub", "forget", "nope", "--undo"])).toMatchObject({
    exit: 3,
    err: expect.stringContaining('no deleted session matches "nope"'),
  });
  expect((await pidex(["hub", "forget", "/no/such.jsonl", "--undo"])).exit).toBe(3);
  expect((await pidex(["hub", "forget", "abc", "--undo", "--dry-run"])).exit).toBe(2);
  expect(JSON.parse((await pidex(["hub", "forget", path, "--undo", "--json"])).out).undone).toEqual([
    { sessionId: "abc-1", path },
  ]);
  expect((await pidex(["push"])).out).toMatch(/1 shared session: pushed .* of 1 session\n/);
  expect(await count()).toBe(1);
  const { out } = await pidex(["hub", "audit"]);
  expect(out).toMatch(/\tundo forget\tmine\n/);
});

test.skipIf(!hasPostgres)(
  "an undo without a push in between makes the next push send the session",
  async () => {
    await using hub = await startHub();
    const home = useMachine(hub);
    const shop = join(home, "shop");
    session({ id: "abc-1", cwd: shop }).user("hello").writeUnder(join(home, ".pi/agent/sessions"));
    await pidex(["share", shop]);
    await pidex(["push"]);
    await pidex(["hub", "forget", "abc", "--yes"]);
    expect((await pidex(["hub", "forget", "abc", "--undo"])).out).toContain("abc-1");
    expect((await pidex(["push"])).out).toMatch(/pushed .* of 1 session\n/);
  },
);
