import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { toMachineName } from "../../../bin/cli/hub-sign-in.ts";
import { session } from "../../../fixtures/builder.ts";
import { HubClient } from "../../../library/hub/client.ts";
import { readSignIn, requireSignIn, writeSignIn } from "../../../library/hub/sign-in.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidex } from "../cli.ts";
import { startHub, toAppend } from "../hub/hubs.ts";
import { findFreePort, startHubProgram } from "./hub-program.ts";

/** Runs commands as on a machine with a config folder of its own. */
function useMachine(): string {
  const folder = temporaryFolder();
  vi.stubEnv("PIDEX_CONFIG", join(folder, "config"));
  onTestFinished(() => void vi.unstubAllEnvs());
  return join(folder, "config");
}

const run = async (line: string, answer?: string) => {
  const { exit, out, err } = await pidex(["hub", ...line.split(" ")], answer === undefined ? {} : { answer });
  return {
    exit,
    out,
    err,
    cells: out
      .split("\n")
      .slice(0, -1)
      .map((each) => each.split("\t")),
  };
};

test.skipIf(!hasPostgres)("a machine joins, manages the hub, and leaves", async () => {
  await using hub = await startHub();
  const config = useMachine();
  const { invitation } = (await (
    await hub.owner.client.request("POST", "v1/invitations", { body: { name: "ada", role: "owner" } })
  ).json()) as { invitation: string };
  expect(await run("status")).toMatchObject({
    exit: 1,
    err: expect.stringMatching(/not signed in[\s\S]*hub join/),
  });
  expect(await run(`join ${hub.url} pidex_invitation_x`)).toMatchObject({ exit: 1 });
  const joined = await run(`join ${hub.url} ${invitation} --machine desk`);
  expect(joined).toMatchObject({ exit: 0, out: "Signed in as desk of ada (owner)\n", err: "" });
  const token = readSignIn()?.token as string;
  expect(readFileSync(join(config, "hub.json"), "utf8")).toContain(token);
  if (process.platform !== "win32") expect(statSync(join(config, "hub.json")).mode & 0o777).toBe(0o600);
  expect(await run(`join ${hub.url} ${invitation}`)).toMatchObject({
    exit: 2,
    err: expect.stringMatching(/hub leave/),
  });

  const invited = await run("invite ben --role figures --json");
  expect(JSON.parse(invited.out)).toMatchObject({ invitation: expect.stringMatching(/^pidex_invitation_/) });
  const eve = await hub.add("eve", "member");
  expect((await run("members")).cells.map(([name, role]) => [name, role])).toEqual([
    ["ada", "owner"],
    ["eve", "member"],
  ]);
  expect((await run("role eve auditor")).exit).toBe(0);
  expect(JSON.parse((await run("members --json")).out).members[1]).toMatchObject({
    name: "eve",
    role: "auditor",
  });
  expect((await run("role eve king")).exit).toBe(2);
  expect((await run("machines")).cells.map(([name]) => name)).toEqual(["ada-laptop", "desk", "eve-laptop"]);
  expect((await run("revoke eve-laptop")).exit).toBe(0);
  await expect(eve.client.me()).rejects.toMatchObject({ code: "NOT_SIGNED_IN" });
  expect((await run("revoke nope")).exit).toBe(3);

  expect(await run("remove eve")).toMatchObject({ exit: 2, err: expect.stringMatching(/--yes/) });
  expect((await run("remove eve", "n")).exit).toBe(1);
  expect((await run("remove eve", "y")).exit).toBe(0);
  expect((await run("members")).cells.map(([name]) => name)).toEqual(["ada"]);

  expect((await run("retention mine 30 --yes")).cells).toEqual([["mine", "30"]]);
  expect((await run("retention shop 90 --yes")).cells).toEqual([["shop", "90"]]);
  expect((await run("retention mine off")).exit).toBe(0);
  expect((await run("retention")).cells).toEqual([["shop", "90"]]);
  expect((await run("retention mine soon")).exit).toBe(2);
  const actions = (await run("audit --since 1h -n 3")).cells.map(([, person, machine, action]) => [
    person,
    machine,
    action,
  ]);
  expect(actions).toEqual(Array(3).fill(["ada", "desk", "retention"]));
  expect((await run("audit --since never")).exit).toBe(2);
  expect(JSON.parse((await run("status --json")).out)).toMatchObject({
    person: "ada",
    machine: "desk",
    database: "postgresql",
    people: 1,
  });

  expect((await run("leave")).exit).toBe(0);
  expect(readSignIn()).toBeUndefined();
  const stillIn = fetch(`${hub.url}/v1/me`, {
    headers: { authorization: `Bearer ${token}`, "pidex-protocol": "1" },
  });
  expect((await stillIn).status).toBe(401);
});

test.skipIf(!hasPostgres)("sessions are deleted from the hub after a confirmation", async () => {
  await using hub = await startHub();
  useMachine();
  const { token, machine, person, client } = hub.owner;
  writeSignIn({ url: hub.url, token, machine, person });
  for (const id of ["a1", "b1"]) {
    const { header, bytes } = toAppend(
      `/x/${id}.jsonl`,
      `${session({ id }).user("the tax").lines.join("\n")}\n`,
    );
    await client.append(header, bytes);
  }
  const count = async () => (await hub.pool.query("SELECT 1 FROM file")).rows.length;
  expect((await run("forget a --dry-run")).cells.map(([id]) => id)).toEqual(["a1"]);
  expect((await run("forget a")).exit).toBe(2);
  expect(await run("forget a", "n")).toMatchObject({ exit: 1, err: expect.stringMatching(/the tax/) });
  expect(await count()).toBe(2);
  expect((await run("forget a", "yes")).exit).toBe(0);
  expect((await run("forget a --yes")).exit).toBe(3);
  expect(JSON.parse((await run("forget b1 --yes --json")).out).forgotten).toMatchObject([
    { sessionId: "b1" },
  ]);
  expect(await count()).toBe(0);
});

// Creating the database takes PGlite some seconds, and many more on a busy machine.
test.skipIf(process.platform === "win32")(
  "the program keeps sessions in a folder, which one program at a time has open, and stops on SIGTERM",
  async () => {
    const folder = temporaryFolder();
    useMachine();
    const port = await findFreePort();
    const argv = ["--data", join(folder, "hub"), "--port", port, "--owner", "ada"];
    const first = startHubProgram(argv);
    const url = `http://127.0.0.1:${port}`;
    expect(await first.nextLine()).toBe(url);
    const [name, ...words] = (await first.nextLine()).split(" ");
    expect([name, ...words.slice(0, 3)]).toEqual(["pidex", "hub", "join", url]);
    expect(await pidex(words)).toMatchObject({ exit: 0 });
    expect(statSync(join(folder, "hub")).mode & 0o777).toBe(0o700);
    const client = new HubClient(requireSignIn());
    const text = `${session({ id: "a" }).user("the tax").lines.join("\n")}\n`;
    const { header, bytes } = toAppend("/x/a.jsonl", text);
    // It has a single connection: requests wait for each other.
    await Promise.all([client.append(header, bytes), client.me(), client.append(header, bytes)]);
    const second = await pidex(["hub", "--data", join(folder, "hub")]);
    expect(second).toMatchObject({ exit: 1, err: expect.stringMatching(/is a hub on/) });
    const ended = once(first.child, "exit");
    first.child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(await startHubProgram(argv).nextLine()).toBe(url);
    const [file] = await Array.fromAsync(client.own());
    expect(file).toMatchObject({ path: "/x/a.jsonl", cursor: text.length });
    const parts = await Array.fromAsync(client.ownBytes(file?.id as number, 0));
    expect(Buffer.concat(parts).toString()).toBe(text);
  },
  240_000,
);

test("usage errors of the server", async () => {
  expect(await pidex(["hub", "--tls-cert", "x.pem"])).toMatchObject({
    exit: 2,
    err: expect.stringMatching(/belong together/),
  });
  expect((await pidex(["hub", "--tls-cert", "/no/x.pem", "--tls-key", "/no/y.pem"])).exit).toBe(1);
  expect((await pidex(["hub", "--owner", "/"])).exit).toBe(2);
  expect((await pidex(["hub", "jion"])).exit).toBe(2);
  const unreachable = await pidex(["hub", "--database", "postgres://pidex:secret@127.0.0.1:1/pidex"]);
  expect(unreachable).toMatchObject({ exit: 1, err: expect.stringMatching(/cannot connect to PostgreSQL/) });
  expect(unreachable.err).not.toContain("secret");
});

test.each([
  ["Adas-MacBook.local", "adas-macbook"],
  ["DESK", "desk"],
  ["x", "machine-x"],
  ["", "machine"],
  ["file", "machine-file"],
  ["büro 1", "b-ro-1"],
])("the host %j is the machine %s", (host, machine) => expect(toMachineName(host)).toBe(machine));
