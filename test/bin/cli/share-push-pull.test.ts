/** `pidex share`, `pidex push` and `pidex pull` of two machines, in this process. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { PlannedPushJson, PullJson, PushJson, SharedFolderJson } from "../../../bin/cli/transfer-answers.ts";
import { session } from "../../../fixtures/builder.ts";
import { writeSignIn } from "../../../library/hub/sign-in.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidex, strict } from "../cli.ts";
import { type SignedIn, startHub } from "../hub/hubs.ts";

afterEach(() => vi.unstubAllEnvs());

/** Makes this process run as on a machine with its own home folder. */
function switchTo(home: string): void {
  mkdirSync(home, { recursive: true });
  for (const name of ["PIDEX_CONFIG", "PIDEX_DB", "PIDEX_ROOTS", "PI_CODING_AGENT_DIR"]) vi.stubEnv(name, "");
  for (const name of ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"]) vi.stubEnv(name, "");
  vi.stubEnv("HOME", home);
  vi.stubEnv("TMPDIR", home);
}

function signIn(url: string, { token, machine, person }: SignedIn): void {
  writeSignIn({ url, token, machine, person });
}

const json = async (...argv: string[]) => JSON.parse((await pidex([...argv, "--json"])).out);

test.skipIf(!hasPostgres)("two machines share a project through a hub", async () => {
  await using hub = await startHub();
  const folder = temporaryFolder();
  const [laptop, desktop] = [join(folder, "laptop"), join(folder, "desktop")];
  const other = await hub.addMachine(hub.owner, "desktop");
  const shop = join(folder, "shop");
  switchTo(laptop);
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const path = session({ cwd: shop }).user(`hello ${secret}`).writeUnder(join(laptop, ".pi/agent/sessions"));
  expect(await pidex(["push"])).toMatchObject({ exit: 1, err: expect.stringContaining("not signed in") });
  signIn(hub.url, hub.owner);
  expect((await pidex(["push"])).err).toContain("no project is shared");
  expect(await pidex(["share", laptop])).toMatchObject({
    exit: 2,
    err: expect.stringContaining("more than projects"),
  });
  expect((await pidex(["share", shop, "--team", "--project", "web"])).out).toContain(
    "1 session, for the team's project web",
  );
  const plan = await json("push", "--dry-run");
  strict(PlannedPushJson).parse(plan.projects[0]);
  expect(plan.projects).toMatchObject([{ sessions: 1, project: "web", masked: [{ path, count: 1 }] }]);
  expect(JSON.stringify(plan)).not.toContain(secret);
  expect((await hub.pool.query("SELECT 1 FROM file")).rows).toEqual([]);
  const named = session({ cwd: shop }).writeUnder(join(laptop, ".pi/agent/sessions", secret));
  const { err, out } = await pidex(["push", "--dry-run"]);
  expect(err).toBe(`note: ${named} would not be sent: its path contains a secret\n`);
  expect(out).toContain("\t1\t");
  rmSync(named);
  await pidex(["share", shop]);
  const { push } = await json("push");
  strict(PushJson).parse(push);
  expect(push).toMatchObject({ sessions: 1, sent: 1, failed: [] });
  const { folders } = await json("share");
  strict(SharedFolderJson).parse(folders[0]);
  expect(folders).toEqual([{ folder: shop, share: "mine", sessions: 1, pushed: 1 }]);

  switchTo(desktop);
  signIn(hub.url, other);
  const { pull } = await json("pull");
  strict(PullJson).parse(pull);
  expect(pull).toMatchObject({ sessions: 1, added: 1 });
  expect(readFileSync(pull.paths[0])).toEqual(readFileSync(path));
  expect((await json("list")).sessions).toMatchObject([{ path: pull.paths[0], cwd: shop, subagent: false }]);
  const here = join(folder, "checkout");
  mkdirSync(here);
  expect((await pidex(["pull", "--map", `${shop}=${here}`])).exit).toBe(0);
  expect((await json("resume", "@last")).cwd).toBe(here);

  switchTo(laptop);
  expect((await pidex(["share", shop, "--off"])).err).toContain("The hub keeps 1 session of it");
  expect((await pidex(["share", shop, "--off", "--forget"])).out).toContain("deleted 1 session from the hub");
  expect((await hub.pool.query("SELECT 1 FROM file")).rows).toEqual([]);
  expect(await json("push")).toMatchObject({ push: { sessions: 0, sent: 0 } });
});
