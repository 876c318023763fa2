import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Io } from "../../../bin/cli/io.ts";
import { run } from "../../../bin/cli/service.ts";
import { ServiceStatusJson, ServiceStepJson } from "../../../bin/cli/service-answers.ts";
import { MARKER, type Machine } from "../../../bin/service/plan.ts";
import { temporaryFolder } from "../../temporary.ts";
import { HOME, linesOf, pidex, strict } from "../cli.ts";
import { readUnit } from "../service/read-back.ts";

/** A `systemctl` that writes down what it was told, and does as one does whose user has services. */
const SYSTEMCTL = `#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in
  *ActiveState*) echo "ActiveState=\${STATE:-active}"; echo "ActiveEnterTimestamp=Sun 2026-11-22 10:16:01 UTC" ;;
esac
`;

const NO_BUS = `#!/bin/sh
echo "Failed to connect to bus: No medium found" >&2
exit 1
`;

/** A `launchctl` of a Mac where somebody sits at the screen; the first "bootstrap" comes too early. */
const LAUNCHCTL = `#!/bin/sh
echo "$@" >> "$CALLS"
case "$1" in
  print) echo "	state = \${STATE:-running}" ;;
  bootout) echo "Boot-out failed: 3: No such process" >&2; exit 3 ;;
  bootstrap) if [ ! -e "$CALLS.early" ]; then : > "$CALLS.early"; echo "Bootstrap failed: 5" >&2; exit 5; fi ;;
esac
`;

/** A home with programs of its own, and nothing else on the PATH. */
function home(programs: Record<string, string>) {
  const folder = temporaryFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }
  const calls = join(folder, "calls");
  return {
    folder,
    unit: join(folder, "config/systemd/user/pidex.service"),
    plist: join(folder, "Library/LaunchAgents/pidex.watch.plist"),
    environment: { HOME: folder, XDG_CONFIG_HOME: join(folder, "config"), PATH: bin, CALLS: calls },
    calls: () => (existsSync(calls) ? linesOf(readFileSync(calls, "utf8")) : []),
  };
}

/** pidex's own command line, as on the system that the test runs on. */
function onLinux(programs: Record<string, string>) {
  const made = home(programs);
  for (const [name, value] of Object.entries({ ...made.environment, PIDEX_ROOTS: "/srv/s", PIDEX_DB: "" })) {
    vi.stubEnv(name, value);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const service = (...argv: string[]) => pidex(["service", ...argv]);
  return { ...made, service };
}

/** The same on any system, as its `run` is called. */
async function on(machine: Partial<Machine>, action: string, made = home({}), flags: object = {}) {
  const written = { out: "", err: "" };
  const io: Io = {
    out(text) {
      written.out += text;
      return undefined;
    },
    err(text) {
      written.err += text;
    },
    isTerminal: false,
    showsProgress: false,
    columns: 80,
    style: (_, text) => text,
  };
  const { environment, folder } = made;
  const whole: Machine = {
    platform: "linux",
    environment,
    home: folder,
    uid: 501,
    node: "/opt/node",
    script: "/opt/pidex.js",
    ...machine,
  };
  const exit = await run(io, [action], flags, whole);
  return { exit, ...written };
}

describe.runIf(process.platform === "linux")("with systemd", () => {
  test("install writes a unit that runs this pidex, and starts it; each step is said before it is taken", async () => {
    const { service, unit, calls } = onLinux({ systemctl: SYSTEMCTL });
    const { exit, out, err } = await service("install", "--root", "/a b", "--db", "/c%d/x.db");
    expect([exit, err]).toEqual([0, "pidex service status says how it is doing\n"]);
    const { argv, environment } = readUnit(readFileSync(unit, "utf8"));
    expect(argv).toEqual([
      process.execPath,
      join(HOME, "bin/pidex.ts"),
      ...["watch", "--quiet", "--root", "/a b", "--db", "/c%d/x.db"],
    ]);
    expect(environment.PIDEX_ROOTS).toBe("/srv/s");
    expect(statSync(unit).mode & 0o777).toBe(0o600);
    expect(calls()).toEqual([
      "--user show --property=Version",
      "--user daemon-reload",
      "--user enable pidex.service",
      "--user restart pidex.service",
    ]);
    const said = linesOf(out).filter((line) => !line.startsWith("  "));
    expect(said).toEqual([
      "runs systemctl --user show --property=Version",
      `writes ${unit}:`,
      ...calls()
        .slice(1)
        .map((call) => `runs systemctl ${call}`),
    ]);
    const content = linesOf(readFileSync(unit, "utf8"));
    expect(linesOf(out).filter((line) => line.startsWith("  "))).toEqual(content.map((line) => `  ${line}`));
  });

  test("installed again nothing is written; with other options it says what changes", async () => {
    const { service, unit, calls } = onLinux({ systemctl: SYSTEMCTL });
    await service("install");
    const before = [readFileSync(unit, "utf8"), calls().length] as const;
    const again = await service("install");
    expect(linesOf(again.out)[0]).toBe(`${unit} is as it should be`);
    expect([readFileSync(unit, "utf8"), calls().slice(before[1])]).toEqual([
      before[0],
      ["--user show --property=Version", "--user enable pidex.service", "--user start pidex.service"],
    ]);
    const { out } = await service("install", "--db", "/x.db");
    const [first, gone, come] = linesOf(out);
    expect([first, gone?.slice(0, 15), come?.slice(0, 15)]).toEqual([
      `${unit} changes:`,
      '  - ExecStart="',
      '  + ExecStart="',
    ]);
    expect(come).toContain('"--db" "/x.db"');
  });

  test("a dry run says the same, and neither writes nor runs anything", async () => {
    const { service, folder, calls } = onLinux({ systemctl: SYSTEMCTL });
    const dry = await service("install", "--dry-run");
    expect([dry.exit, calls(), existsSync(join(folder, "config"))]).toEqual([0, [], false]);
    const { out } = await service("install");
    expect(dry.out.replaceAll("would write", "writes").replaceAll("would run", "runs")).toBe(out);
    await service("remove", "--dry-run");
    expect(existsSync(join(folder, "config/systemd/user/pidex.service"))).toBe(true);
    const { steps, dryRun, changed } = JSON.parse((await service("remove", "--dry-run", "--json")).out);
    expect([dryRun, changed]).toEqual([true, true]);
    for (const step of steps) expect(strict(ServiceStepJson).safeParse(step).error).toBeUndefined();
  });

  test("remove stops it and deletes its file; a second time there is nothing to remove", async () => {
    const { service, unit, calls } = onLinux({ systemctl: SYSTEMCTL });
    await service("install");
    const before = calls().length;
    expect((await service("remove")).exit).toBe(0);
    expect(existsSync(unit)).toBe(false);
    expect(calls().slice(before)).toEqual(["--user disable --now pidex.service", "--user daemon-reload"]);
    const again = await service("remove");
    expect([again.exit, again.out, again.err]).toEqual([
      0,
      "",
      `no service is installed: there is no ${unit}\n`,
    ]);
  });

  test("a file that pidex did not write is left as it is", async () => {
    const { service, unit, calls } = onLinux({ systemctl: SYSTEMCTL });
    mkdirSync(join(unit, ".."), { recursive: true });
    writeFileSync(unit, "[Service]\n");
    for (const action of ["install", "remove"]) {
      const { exit, err } = await service(action);
      expect([exit, err]).toEqual([
        1,
        expect.stringContaining("was not written by pidex: it stays as it is"),
      ]);
    }
    expect([readFileSync(unit, "utf8"), calls()]).toEqual(["[Service]\n", []]);
    expect((await service("status")).out).toContain("that file was not written by pidex");
  });

  test("status tells whether it is installed, runs since when, and is as it would be written now", async () => {
    const { service, unit } = onLinux({ systemctl: SYSTEMCTL });
    const status = async (...flags: string[]) => {
      const { out, exit } = await service("status", "--json", ...flags);
      const { service: answer } = JSON.parse(out);
      expect(strict(ServiceStatusJson).safeParse(answer).error).toBeUndefined();
      return { exit, ...answer };
    };
    expect(await status()).toEqual({ exit: 3, path: unit, installed: false });
    await service("install");
    const active = { active: true, since: "2026-11-22T10:16:01Z" };
    expect(await status()).toEqual({
      exit: 0,
      path: unit,
      installed: true,
      ours: true,
      current: true,
      ...active,
    });
    expect((await status("--db", "/x.db")).current).toBe(false);
    vi.stubEnv("TZ", "UTC");
    expect((await service("status")).out).toBe(`running since 2026-11-22 10:16\n${unit}\n`);
    vi.stubEnv("STATE", "failed");
    expect(await status()).toMatchObject({ active: false, reason: "failed" });
    vi.stubEnv("PATH", "/nosuch");
    expect(await status()).toMatchObject({
      exit: 0,
      installed: true,
      reason: expect.stringContaining("systemctl"),
    });
  });

  test("without systemd, or a session of the user's, nothing is written and it is said what to do", async () => {
    const missing = onLinux({});
    const { exit, err } = await missing.service("install");
    expect([exit, linesOf(err)[0]]).toEqual([1, "pidex: systemctl could not be run: spawn systemctl ENOENT"]);
    expect(err).toContain("start pidex watch with whatever starts programs there");
    const busless = onLinux({ systemctl: NO_BUS });
    const told = await busless.service("install");
    expect([told.exit, linesOf(told.err)[0]]).toEqual([
      1,
      "pidex: systemctl cannot reach the user's services: Failed to connect to bus: No medium found",
    ]);
    expect([existsSync(missing.unit), existsSync(busless.unit)]).toEqual([false, false]);
  });

  test("a command that fails, and a folder that cannot be written, are told", async () => {
    const failing = onLinux({
      systemctl: `#!/bin/sh\ncase "$*" in *enable*) echo "it is masked" >&2; exit 1;; esac\n`,
    });
    const { exit, err } = await failing.service("install");
    expect([exit, linesOf(err)[0]]).toEqual([
      1,
      "pidex: systemctl --user enable pidex.service failed: it is masked",
    ]);
    const blocked = onLinux({ systemctl: SYSTEMCTL });
    writeFileSync(join(blocked.folder, "config"), "");
    expect(linesOf((await blocked.service("install", "--dry-run")).err)).toEqual([]);
    expect((await blocked.service("install")).err).toContain(blocked.unit);
  });
});

describe("with launchd", () => {
  const mac = { platform: "darwin" as const };

  test("install writes an agent and loads it, until launchd has let go of the one before", async () => {
    const made = home({ launchctl: LAUNCHCTL });
    const { exit } = await on(mac, "install", made);
    expect(exit).toBe(0);
    const plist = readFileSync(made.plist, "utf8");
    expect(plist).toContain(`<!-- ${MARKER} -->`);
    expect(plist).toContain(`<string>${join(made.folder, "Library/Logs/pidex.log")}</string>`);
    expect(made.calls()).toEqual([
      "print gui/501",
      "bootout gui/501/pidex.watch",
      "enable gui/501/pidex.watch",
      `bootstrap gui/501 ${made.plist}`,
      `bootstrap gui/501 ${made.plist}`,
    ]);
    expect((await on(mac, "status", made)).out).toBe(`running\n${made.plist}\n`);
    expect((await on(mac, "remove", made)).exit).toBe(0);
    expect(existsSync(made.plist)).toBe(false);
    expect((await on(mac, "status", made)).exit).toBe(3);
  });

  test("where nobody sits at the screen nothing is written", async () => {
    const made = home({
      launchctl: "#!/bin/sh\necho 'Could not find domain for user gui: 501' >&2; exit 113\n",
    });
    await expect(on(mac, "install", made)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(existsSync(made.plist)).toBe(false);
  });
});

test("elsewhere there is no service, and it is said what there is instead", async () => {
  const refusal = { code: "SERVICE_UNAVAILABLE", hint: expect.stringContaining("Task Scheduler") };
  for (const action of ["install", "status", "remove"]) {
    await expect(on({ platform: "win32" }, action)).rejects.toMatchObject(refusal);
  }
});

test("without a home folder there is none either", async () => {
  const refusal = { code: "SERVICE_UNAVAILABLE", hint: "Set HOME to a full path." };
  await expect(on({ home: "" }, "status")).rejects.toMatchObject(refusal);
});

test("an action that there is not is a usage error", async () => {
  const { exit, err } = await pidex(["service", "restart"]);
  expect([exit, linesOf(err)[0]]).toEqual([2, "pidex: a service cannot be told to restart"]);
});
