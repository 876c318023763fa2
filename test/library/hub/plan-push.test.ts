/** `pidex push --dry-run`: compares the plan of a push with the push. */
import { mkdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPullState } from "../../../library/hub/pull/pull-state.ts";
import { planPush } from "../../../library/hub/push/plan-push.ts";
import { PushState } from "../../../library/hub/push/push-state.ts";
import { startHub } from "../../bin/hub/hubs.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { append, createMachine, type Machine, message } from "./machine.ts";

const SECRET = `ghp_${"a1B2".repeat(9)}`;
const LONG_LINE = "a line is longer than 256 MiB";

const plan = (machine: Machine) =>
  planPush(machine.sessions(), {
    projects: machine.projects,
    state: new PushState(machine.statePath),
    pulled: openPullState(machine.environment),
  });

/** Adds a line without an end. */
function addLongLine(path: string): void {
  append(path, message("before"));
  truncateSync(path, statSync(path).size + (256 << 20) + 1);
}

test.skipIf(!hasPostgres)("a plan has the same failures, sessions and bytes as the push", async () => {
  await using hub = await startHub();
  const machine = createMachine(hub, hub.owner, temporaryFolder());
  const shared = "/home/ada/web";
  machine.projects.push({ folder: shared, share: "team", project: "web" });
  machine.create("red", [message("first")]);
  addLongLine(machine.create("blue"));
  machine.create("green", [message(`first ${SECRET}`)], shared);
  const inPath = machine.create(`of ${SECRET}`, [], shared);
  const failures = [{ path: inPath, reason: "its path contains a secret" }];
  const [mine, team] = await plan(machine);
  expect(mine).toMatchObject({
    sessions: 2,
    masked: [],
    failed: [{ path: machine.path("blue"), reason: LONG_LINE }],
  });
  expect(team).toMatchObject({
    sessions: 1,
    masked: [{ path: machine.path("green"), count: 1 }],
    failed: failures,
  });
  const report = await machine.push();
  const failed = [...(mine?.failed ?? []), ...(team?.failed ?? [])];
  expect(report.failed).toHaveLength(2);
  expect(report.failed).toEqual(expect.arrayContaining(failed));
  expect(report.sent).toBe(3);
  // The hub has the placeholder in place of the secret.
  expect((mine?.bytes ?? 0) + (team?.bytes ?? 0)).toBe(
    report.bytes - "[redacted github]".length + SECRET.length,
  );
  // Blocked files are not read again until they change.
  expect(await plan(machine)).toMatchObject([
    { sessions: 0, bytes: 0, failed: [] },
    { sessions: 0, bytes: 0, masked: [], failed: failures },
  ]);
  expect(await machine.push()).toMatchObject({ sent: 0, failed: failures });
});

test("a plan goes on after what is not a file", async () => {
  const home = temporaryFolder();
  const folder = join(home, "sessions", "folder.jsonl");
  mkdirSync(folder, { recursive: true });
  const path = join(home, "plain.jsonl");
  append(path, "{}");
  const cwd = "/home/ada/web";
  const sessions = [folder, path].map((path, n) => ({
    path,
    id: String(n),
    cwd,
    subagent: false,
    modified: new Date(0),
  }));
  const [planned] = await planPush(sessions, {
    projects: [{ folder: cwd, share: "mine" }],
    state: new PushState(join(home, "pushed.json")),
    pulled: openPullState({ HOME: home }),
  });
  expect(planned).toMatchObject({ sessions: 1, bytes: readFileSync(path).length });
  expect(planned?.failed).toMatchObject([
    { path: folder, reason: expect.stringContaining("not a regular file") },
  ]);
});
