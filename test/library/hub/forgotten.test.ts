/** Sessions that were deleted by `pidex hub forget`: machines do not push them again until that is undone. */
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { HubClient } from "../../../library/hub/client.ts";
import { forgetSessionsAnswer, undoForgetAnswer } from "../../../library/hub/protocol.ts";
import { openPullState } from "../../../library/hub/pull/pull-state.ts";
import { planPush } from "../../../library/hub/push/plan-push.ts";
import { PushState } from "../../../library/hub/push/push-state.ts";
import { forgetExpired } from "../../../library/hub/server/maintenance.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { append, type HubRequests, type Machine, message, readFromHub } from "./machine.ts";
import { startTwoMachines } from "./two-machines.ts";

async function forget({ signIn }: Machine, session: string): Promise<void> {
  const body = { sessions: [session], dryRun: false };
  await new HubClient(signIn).json("POST", "v1/forget-sessions", forgetSessionsAnswer, { body });
}

async function undo({ signIn }: Machine, id: string): Promise<void> {
  const body = { sessions: [{ id, path: null }] };
  await new HubClient(signIn).json("POST", "v1/undo-forget", undoForgetAnswer, { body });
}

/** Requests that fail the test if lines are sent. */
function withoutAppends(client: HubClient): HubRequests & { count: number } {
  const requests = {
    count: 0,
    exclusions: (...args: Parameters<HubClient["exclusions"]>) => {
      requests.count++;
      return client.exclusions(...args);
    },
    files: (...args: Parameters<HubClient["files"]>) => {
      requests.count++;
      return client.files(...args);
    },
    append: async () => expect.unreachable("lines were sent"),
    forget: client.forget.bind(client),
    own: client.own.bind(client),
    ownBytes: client.ownBytes.bind(client),
  };
  return requests;
}

const ONE_FORGOTTEN = { sent: 0, bytes: 0, resent: 0, failed: [], forgotten: [{ sessionId: "one" }] };

test.skipIf(!hasPostgres)(
  "a deleted session is not sent when it grows, its state is lost or its file is moved",
  async () => {
    const { hub, laptop } = await startTwoMachines();
    const path = laptop.create("one", [message("hello")]);
    const other = laptop.create("other", [message("hello")]);
    await laptop.push();
    await forget(laptop, "one");
    const silent = () => withoutAppends(new HubClient(laptop.signIn));
    append(path, message("more"));
    expect(await laptop.push({ hub: silent() })).toMatchObject(ONE_FORGOTTEN);
    rmSync(laptop.statePath);
    expect(await laptop.push({ hub: silent() })).toMatchObject(ONE_FORGOTTEN);
    const moved = laptop.path("moved");
    renameSync(path, moved);
    expect(await laptop.push({ hub: silent() })).toMatchObject({ ...ONE_FORGOTTEN, moved: 0 });
    expect((await hub.pool.query("SELECT local_path FROM file")).rows).toEqual([{ local_path: other }]);
    append(other, message("more"));
    expect(await laptop.push()).toMatchObject({ sent: 1, forgotten: [{ path: moved }] });
  },
);

test.skipIf(!hasPostgres)("a push needs one request for all deleted sessions", async () => {
  const { laptop } = await startTwoMachines();
  for (let n = 0; n < 5; n++) laptop.create(`s${n}`, [message("hello")]);
  await laptop.push();
  for (let n = 0; n < 5; n++) await forget(laptop, `s${n}`);
  append(laptop.path("s0"), message("more"));
  for (let push = 0; push < 2; push++) {
    const silent = withoutAppends(new HubClient(laptop.signIn));
    expect((await laptop.push({ hub: silent })).forgotten.length).toBe(5);
    expect(silent.count).toBe(1);
  }
});

test.skipIf(!hasPostgres)(
  "a session that is deleted between the first request of a push and its lines is not stored",
  async () => {
    const { hub, laptop } = await startTwoMachines();
    laptop.create("one", [message("hello")]);
    await laptop.push();
    append(laptop.path("one"), message("more"));
    const client = new HubClient(laptop.signIn);
    const requests: HubRequests = {
      ...withoutAppends(client),
      append: client.append.bind(client),
      exclusions: async () => {
        const before = await client.exclusions();
        await forget(laptop, "one");
        return before;
      },
    };
    expect(await laptop.push({ hub: requests })).toMatchObject(ONE_FORGOTTEN);
    expect((await hub.pool.query("SELECT 1 FROM file")).rows).toEqual([]);
    const silent = withoutAppends(client);
    expect(await laptop.push({ hub: silent })).toMatchObject(ONE_FORGOTTEN);
  },
);

test.skipIf(!hasPostgres)(
  "a second machine does not send its copy of a deleted session; after an undo, both send theirs",
  async () => {
    const { hub, laptop, desktop } = await startTwoMachines();
    const path = laptop.create("one", [message("hello")]);
    await laptop.push();
    await desktop.pull();
    const pulled = desktop.pulled(laptop.name, "one");
    append(pulled, message("on the desktop"));
    const copy = desktop.path("copy");
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(path, copy);
    await forget(laptop, "one");
    const silent = withoutAppends(new HubClient(desktop.signIn));
    expect((await desktop.push({ hub: silent })).forgotten.length).toBe(2);
    append(path, message("more"));
    expect(await laptop.push()).toMatchObject(ONE_FORGOTTEN);
    await undo(desktop, "one");
    expect(await desktop.push()).toMatchObject({ sent: 2, forgotten: [] });
    expect(await laptop.push()).toMatchObject({ sent: 1, forgotten: [] });
    expect(await readFromHub(hub, laptop.name, path)).toEqual(readFileSync(path));
    expect(await readFromHub(hub, desktop.name, copy)).toEqual(readFileSync(copy));
  },
);

test.skipIf(!hasPostgres)("a dry run does not list deleted sessions", async () => {
  const { laptop } = await startTwoMachines();
  const path = laptop.create("one", [message("hello")]);
  const other = laptop.create("other", [message("hello")]);
  await laptop.push();
  await forget(laptop, "one");
  append(path, message("more"));
  append(other, message("more"));
  await laptop.push();
  append(path, message("more"));
  const plan = await planPush(laptop.sessions(), {
    projects: laptop.projects,
    state: new PushState(laptop.statePath),
    pulled: openPullState(laptop.environment),
  });
  expect(plan).toMatchObject([{ sessions: 0, bytes: 0 }]);
});

test.skipIf(!hasPostgres)(
  "a session that is older than the hub keeps sessions is not sent again until it has a new message",
  async () => {
    const { hub, laptop } = await startTwoMachines();
    const path = laptop.create("one", [message("hello")]);
    laptop.modified = new Date("2026-11-02T09:01:00.000Z");
    await laptop.push();
    await hub.pool.query("UPDATE shelf SET retention_days = 10");
    const now = Date.parse("2030-01-01T00:00:00Z");
    expect(await forgetExpired(hub.pool, now)).toBe(1);
    append(path, JSON.stringify({ type: "session_info", id: "n1", parentId: null, name: "renamed" }));
    laptop.modified = new Date(Date.now() - 11 * 86_400_000);
    for (const each of ["grown", "without state"]) {
      const silent = withoutAppends(new HubClient(laptop.signIn));
      expect([each, await laptop.push({ hub: silent })]).toMatchObject([each, { sent: 0, expired: 1 }]);
      rmSync(laptop.statePath, { force: true });
    }
    laptop.modified = new Date();
    expect(await laptop.push()).toMatchObject({ sent: 1, expired: 0 });
    expect(await readFromHub(hub, laptop.name, path)).toEqual(readFileSync(path));
  },
);
