import { expect, test } from "vitest";
import { z } from "zod";
import { session } from "../../../fixtures/builder.ts";
import { HubClient } from "../../../library/hub/client.ts";
import { inviteAnswer, machine, member, ROLES } from "../../../library/hub/protocol.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { dumpTables, joinHub, type SignedIn, sha256, startHub, type TestHub, toAppend } from "./hubs.ts";

const invite = async ({ client }: SignedIn, name: string, role = "member") =>
  (await client.json("POST", "v1/invitations", inviteAnswer, { body: { name, role } })).invitation;

const bytes = `${session({ id: "a" }).user("the tax").lines.join("\n")}\n`;

test.skipIf(!hasPostgres)(
  "an invitation is used once, within its time, and refused alike otherwise",
  async () => {
    await using hub = await startHub();
    const used = await invite(hub.owner, "ben");
    await joinHub(hub.url, used, "laptop");
    const expired = await invite(hub.owner, "eve");
    await hub.pool.query("UPDATE invitation SET expires = 1 WHERE code = $1", [sha256(expired)]);
    const tooLate = await invite(hub.owner, "kim");
    const first = await invite(hub.owner, "kim");
    await joinHub(hub.url, first, "laptop");
    const refusals = [used, expired, tooLate, "pidex_invitation_forged", hub.owner.token].map((text) =>
      joinHub(hub.url, text, "laptop").catch((error: unknown) => error),
    );
    const answers = await Promise.all(refusals);
    for (const answer of answers) expect(answer).toMatchObject({ code: "NOT_SIGNED_IN" });
    expect(new Set(answers.map((answer) => (answer as Error).message)).size).toBe(1);
    expect(
      (await hub.pool.query("SELECT name FROM person ORDER BY name")).rows.map(({ name }) => name),
    ).toEqual([...["ada", "ben", "kim"]]);
  },
);

test.skipIf(!hasPostgres)("an invitation that several machines use at once signs in one", async () => {
  await using hub = await startHub();
  const invitation = await invite(hub.owner, "ben");
  const joins = await Promise.allSettled([1, 2, 3, 4].map(() => joinHub(hub.url, invitation, "laptop")));
  expect(joins.filter(({ status }) => status === "fulfilled").length).toBe(1);
  expect((await hub.pool.query("SELECT 1 FROM machine")).rows.length).toBe(2);
});

test.skipIf(!hasPostgres)(
  "machines with the same name get different ones; a revoked one of the person is signed in again",
  async () => {
    await using hub = await startHub();
    const ben = await hub.add("ben", "member");
    const two = await joinHub(hub.url, await invite(ben, "ben"), "ada-laptop");
    const three = await joinHub(hub.url, await invite(ben, "ben"), "ada-laptop");
    expect([two, three].map(({ machine: name, person }) => [name, person])).toEqual([
      ["ada-laptop-2", "ben"],
      ["ada-laptop-3", "ben"],
    ]);
    const append = toAppend("/x/a.jsonl", bytes);
    await two.client.append(append.header, append.bytes);
    await ben.client.request("DELETE", "v1/machines/ada-laptop-2");
    await expect(two.client.me()).rejects.toMatchObject({ code: "NOT_SIGNED_IN" });
    const again = await joinHub(hub.url, await invite(ben, "ben"), "ada-laptop-2");
    expect(again.machine).toBe("ada-laptop-2");
    expect((await again.client.files(["/x/a.jsonl"]))[0]?.cursor).toBe(bytes.length);
    await expect(two.client.me()).rejects.toMatchObject({ code: "NOT_SIGNED_IN" });
  },
);

test.skipIf(!hasPostgres)("tokens that are missing, forged, cut or revoked are refused", async () => {
  await using hub = await startHub();
  const { token } = hub.owner;
  const forged = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  const hash = sha256(token).toString("hex");
  for (const wrong of [undefined, "x", forged, token.slice(0, -1), `${token}x`, hash]) {
    const client = new HubClient({ url: hub.url, token: wrong });
    await expect(client.me()).rejects.toMatchObject({ code: "NOT_SIGNED_IN" });
    await expect(Array.fromAsync(client.own())).rejects.toMatchObject({ code: "NOT_SIGNED_IN" });
  }
});

test.skipIf(!hasPostgres)(
  "too many failed sign-ins from an address are refused, but machines that are signed in go on",
  async () => {
    await using hub = await startHub();
    const forged = new HubClient({ url: hub.url, token: "pidex_forged" });
    await hub.owner.client.me();
    const statuses: number[] = [];
    for (let n = 0; n < 25; n++)
      statuses.push((await forged.request("GET", "v1/me", { accept: [401, 429] })).status);
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(5).fill(429)]);
    await expect(joinHub(hub.url, "pidex_invitation_forged", "laptop")).rejects.toThrow(/too many/);
    expect(await hub.owner.client.me()).toMatchObject({ person: "ada" });
  },
);

test.skipIf(!hasPostgres)("another protocol is refused, and answers reveal nothing of the hub", async () => {
  await using hub = await startHub();
  const headers = { authorization: `Bearer ${hub.owner.token}` };
  for (const protocol of [undefined, "2"]) {
    const response = await fetch(`${hub.url}/v1/me`, {
      headers: { ...headers, ...(protocol !== undefined && { "pidex-protocol": protocol }) },
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: "UPGRADED" } }]);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toBe("no-store");
  }
  const { headers: streamed } = await hub.owner.client.request("GET", "v1/own");
  expect(streamed.get("x-content-type-options")).toBe("nosniff");
  expect(streamed.get("cache-control")).toBe("no-store");
  await hub.pool.query("ALTER TABLE audit RENAME TO hidden");
  const failed = await hub.owner.client.request("GET", "v1/audit", { accept: [500] });
  const answer = await failed.text();
  expect(answer).toMatch(/the hub failed \(request [0-9a-f]{8}\)/);
  expect(answer).not.toMatch(/audit|relation|stack|\.ts/);
  expect(hub.log.join("\n")).toMatch(/failed: .*42P01/);
});

/** What each role may request. The numbers are statuses. */
const MATRIX: [
  method: string,
  path: string,
  body: object | undefined,
  Record<(typeof ROLES)[number], number>,
][] = [
  ["GET", "v1/me", undefined, { owner: 200, member: 200, figures: 200, auditor: 200 }],
  ["GET", "v1/status", undefined, { owner: 200, member: 200, figures: 200, auditor: 200 }],
  ["GET", "v1/own", undefined, { owner: 200, member: 200, figures: 200, auditor: 200 }],
  ["GET", "v1/own-digest", undefined, { owner: 200, member: 200, figures: 200, auditor: 200 }],
  ["GET", "v1/own/1", undefined, { owner: 404, member: 404, figures: 404, auditor: 404 }],
  ["POST", "v1/files", { paths: [] }, { owner: 200, member: 200, figures: 200, auditor: 200 }],
  ["POST", "v1/forget", { paths: ["/x"] }, { owner: 200, member: 200, figures: 200, auditor: 200 }],
  ["GET", "v1/exclusions", undefined, { owner: 200, member: 200, figures: 200, auditor: 200 }],
  [
    "POST",
    "v1/undo-forget",
    { sessions: [{ id: "x", path: null }] },
    { owner: 200, member: 200, figures: 200, auditor: 200 },
  ],
  ["GET", "v1/members", undefined, { owner: 200, member: 403, figures: 403, auditor: 200 }],
  [
    "POST",
    "v1/invitations",
    { name: "new", role: "member" },
    { owner: 200, member: 403, figures: 403, auditor: 403 },
  ],
  ["PATCH", "v1/members/target", { role: "owner" }, { owner: 200, member: 403, figures: 403, auditor: 403 }],
  ["GET", "v1/machines", undefined, { owner: 200, member: 200, figures: 200, auditor: 200 }],
  ["DELETE", "v1/machines/target-laptop", undefined, { owner: 200, member: 404, figures: 404, auditor: 404 }],
  ["DELETE", "v1/members/target", undefined, { owner: 200, member: 403, figures: 403, auditor: 403 }],
  ["GET", "v1/audit", undefined, { owner: 200, member: 403, figures: 403, auditor: 200 }],
  ["GET", "v1/retention", undefined, { owner: 200, member: 200, figures: 200, auditor: 200 }],
  [
    "PUT",
    "v1/retention",
    { shelf: "mine", days: 9 },
    { owner: 200, member: 200, figures: 200, auditor: 200 },
  ],
  [
    "PUT",
    "v1/retention",
    { shelf: { project: "p" }, days: 9 },
    { owner: 200, member: 403, figures: 403, auditor: 403 },
  ],
  ["GET", "v1/nope", undefined, { owner: 404, member: 404, figures: 404, auditor: 404 }],
];

test.skipIf(!hasPostgres)(
  "each role may request what its table says, and nothing without a token",
  async () => {
    await using hub = await startHub();
    await hub.add("target", "member");
    const accept = [400, 401, 403, 404];
    // The owner last, because its requests change what the others must not.
    for (const role of [...ROLES].reverse()) {
      const { client } = role === "owner" ? hub.owner : await hub.add(role, role);
      for (const [method, path, body, expected] of MATRIX) {
        const { status } = await client.request(method, path, { body, accept });
        expect([role, method, path, status]).toEqual([role, method, path, expected[role]]);
      }
      for (const shelf of ["mine", { project: "shop" }] as const) {
        const { header, bytes: body } = toAppend(`/x/${typeof shelf}.jsonl`, bytes);
        const pushed = client.append({ ...header, shelf }, body);
        const isAllowed = shelf === "mine" || role === "owner" || role === "member";
        if (isAllowed) expect(await pushed).toMatchObject({ isConflict: false });
        else await expect(pushed).rejects.toMatchObject({ code: "NOT_ALLOWED" });
      }
    }
    const anonymous = new HubClient({ url: hub.url });
    for (const [method, path, body] of MATRIX) {
      const { status } = await anonymous.request(method, path, { body, accept });
      expect([path, status]).toEqual([path, 401]);
    }
  },
);

test.skipIf(!hasPostgres)("nobody sees the private files of others, not even an owner", async () => {
  await using hub = await startHub();
  const ben = await hub.add("ben", "member");
  const { header, bytes: body } = toAppend("/x/a.jsonl", bytes);
  await ben.client.append(header, body);
  const [file] = await Array.fromAsync(ben.client.own());
  expect(await Array.fromAsync(hub.owner.client.own())).toEqual([]);
  const foreign = Array.fromAsync(hub.owner.client.ownBytes(file?.id as number, 0));
  await expect(foreign).rejects.toMatchObject({ code: "NOT_FOUND" });
  for (const name of ["a", "/x/a.jsonl", "ben-laptop:/x/a.jsonl"]) {
    const request = { body: { sessions: [name], dryRun: true }, accept: [404] };
    expect((await hub.owner.client.request("POST", "v1/forget-sessions", request)).status).toBe(404);
  }
  const { machines } = await ben.client.json("GET", "v1/machines", z.object({ machines: z.array(machine) }));
  expect(machines.map(({ name, files }) => [name, files])).toEqual([["ben-laptop", 1]]);
});

test.skipIf(!hasPostgres)(
  "sessions of a project are deleted by their person or an owner; prefixes must be clear",
  async () => {
    await using hub = await startHub();
    const [ben, eve] = [await hub.add("ben", "member"), await hub.add("eve", "member")];
    for (const id of ["abc1", "abc2"]) {
      const text = `${session({ id }).user("the tax").lines.join("\n")}\n`;
      const { header, bytes: body } = toAppend(`/x/${id}.jsonl`, text);
      await ben.client.append({ ...header, shelf: { project: "shop" } }, body);
    }
    const forget = async ({ client }: SignedIn, text: string, accept = [404, 409]) =>
      (
        await client.request("POST", "v1/forget-sessions", {
          body: { sessions: [text], dryRun: false },
          accept,
        })
      ).status;
    expect(await forget(eve, "abc1")).toBe(404);
    expect(await forget(ben, "abc")).toBe(409);
    expect(await forget(ben, "abc1")).toBe(200);
    expect(await forget(hub.owner, "ben-laptop:/x/abc2.jsonl")).toBe(200);
    for (const table of ["file", "segment", "session", "entry", "posting", "vocabulary"])
      expect([table, (await hub.pool.query(`SELECT 1 FROM ${table}`)).rows]).toEqual([table, []]);
    const { rows } = await hub.pool.query(
      "SELECT person, target FROM audit WHERE action = 'forget' ORDER BY id",
    );
    expect(rows).toEqual([
      { person: "ben", target: "ben-laptop:/x/abc1.jsonl" },
      { person: "ada", target: "ben-laptop:/x/abc2.jsonl" },
    ]);
  },
);

test.skipIf(!hasPostgres)("the last owner stays one", async () => {
  await using hub = await startHub();
  const { client } = hub.owner;
  const demote = (name: string) =>
    client.request("PATCH", `v1/members/${name}`, { body: { role: "member" } });
  await expect(demote("ada")).rejects.toMatchObject({
    code: "BAD_OPTION",
    message: expect.stringMatching(/last owner/),
  });
  await expect(client.request("DELETE", "v1/members/ada")).rejects.toMatchObject({ code: "BAD_OPTION" });
  const ben = await hub.add("ben", "owner");
  // Each removes the other at the same time: one of them must stay.
  await Promise.allSettled([
    client.request("DELETE", "v1/members/ben"),
    ben.client.request("DELETE", "v1/members/ada"),
  ]);
  const { rows } = await hub.pool.query("SELECT 1 FROM person WHERE role = 'owner' AND removed IS NULL");
  expect(rows.length).toBe(1);
});

test.skipIf(!hasPostgres)(
  "a removed member's machines and private sessions are gone, and a new one with the name starts empty",
  async () => {
    await using hub = await startHub();
    const ben = await hub.add("ben", "member");
    const mine = toAppend("/x/mine.jsonl", bytes);
    const team = toAppend("/x/team.jsonl", bytes);
    await ben.client.append(mine.header, mine.bytes);
    await ben.client.append({ ...team.header, shelf: { project: "shop" } }, team.bytes);
    await hub.owner.client.request("DELETE", "v1/members/ben");
    await expect(ben.client.me()).rejects.toMatchObject({ code: "NOT_SIGNED_IN" });
    await expect
      .poll(async () => (await hub.pool.query("SELECT local_path FROM file")).rows)
      .toEqual([{ local_path: "/x/team.jsonl" }]);
    const again = await hub.add("ben", "member");
    expect(again.machine).toBe("ben-laptop-2");
    expect(await Array.fromAsync(again.client.own())).toEqual([]);
    const { members } = await hub.owner.client.json(
      "GET",
      "v1/members",
      z.object({ members: z.array(member) }),
    );
    expect(members.map(({ name }) => name)).toEqual(["ada", "ben"]);
  },
);

/** Uses every secret, and reads the audit log with a token. */
async function useSecrets(hub: TestHub): Promise<string[]> {
  const invitation = await invite(hub.owner, "ben");
  const ben = await joinHub(hub.url, invitation, "laptop");
  const { header, bytes: body } = toAppend("/x/secret-path.jsonl", bytes);
  await ben.client.append(header, body);
  await ben.client.request("GET", `v1/files?${ben.token}`, { accept: [404] });
  await ben.client.request("DELETE", `v1/machines/${ben.token}`, { accept: [404] });
  return [invitation, ben.token, hub.owner.token];
}

test.skipIf(!hasPostgres)(
  "tokens and invitations are in no table, and neither they nor paths in the log",
  async () => {
    await using hub = await startHub();
    const secrets = await useSecrets(hub);
    const unused = await invite(hub.owner, "eve");
    const tables = await dumpTables(hub.pool);
    expect(tables).toContain("ada-laptop"); // what is looked for would be found
    const log = hub.log.join("\n");
    expect(log).toContain("PUT /v1/append 200");
    expect(log).toContain('"ben"');
    expect(log).not.toContain("secret-path");
    for (const secret of [...secrets, unused]) {
      expect(tables).not.toContain(secret);
      expect(log).not.toContain(secret);
      expect(log).not.toContain(sha256(secret).toString("hex"));
    }
  },
);
