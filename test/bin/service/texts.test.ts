import { delimiter, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { launchdAgent } from "../../../bin/service/agent.ts";
import { MARKER, type Machine, planService } from "../../../bin/service/plan.ts";
import { systemdUnit } from "../../../bin/service/unit.ts";
import { PidexError } from "../../../library/index.ts";
import { readAgent, readUnit, systemdWords } from "./read-back.ts";

const machine: Machine = {
  platform: "linux",
  environment: {},
  home: "/home/ada",
  uid: 501,
  node: "/opt/node 24/bin/node",
  script: "/opt/pidex/dist/bin/pidex.js",
};

/** Full paths of all that formats have a meaning for, and of anything else a path may hold. */
const path = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "%",
        "%h",
        "$",
        `$\{HOME}`,
        '"',
        "'",
        "\\",
        "\\n",
        " ",
        ";",
        "#",
        "=",
        "<",
        "&amp;",
        "]]>",
        "--",
        "é",
        "数",
      ),
      fc.string({ unit: "grapheme", maxLength: 5 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => `/${parts.join("").replace(/[\p{Cc}\ufffe\uffff]/gu, "_")}`)
  .filter((made) => resolve(made) === made);

describe.each([
  ["a systemd unit", systemdUnit, readUnit],
  ["a launchd agent", launchdAgent, readAgent],
] as const)("%s", (_, write, read) => {
  test("is read back as the command and the variables it was made of, whatever stands in paths", () => {
    const withoutDelimiter = path.filter((made) => !made.includes(delimiter));
    const property = fc.property(path, path, path, withoutDelimiter, (root, db, script, other) => {
      const environment = { PIDEX_ROOTS: `${other}${delimiter}/s`, TMPDIR: db, OTHER: "x" };
      const plan = planService({ ...machine, script, environment }, { root: [root, "/s"], db });
      const { argv, environment: variables } = read(write(plan, MARKER));
      expect(argv).toEqual([
        machine.node,
        script,
        "watch",
        "--quiet",
        "--root",
        root,
        "--root",
        "/s",
        "--db",
        db,
      ]);
      expect(variables).toEqual({ PIDEX_ROOTS: `${other}${delimiter}/s`, TMPDIR: db });
    });
    fc.assert(property, { numRuns: Number(process.env.PIDEX_RUNS ?? 200) });
  });

  test("says by whom it was written, and begins again half a minute after a failure", () => {
    const text = write(planService(machine, {}), MARKER);
    expect(text).toContain(MARKER);
    expect(text).toMatch(/RestartSec=30|ThrottleInterval<\/key>\s*<integer>30/);
  });
});

test("systemd's words are read as its documentation has them", () => {
  expect(systemdWords(String.raw`a "b c" 'd "e' "f \"g\" \\" h%%i`)).toEqual([
    "a",
    "b c",
    'd "e',
    String.raw`f "g" \ `.trim(),
    "h%i",
  ]);
});

test("a program that systemd would not run is refused", () => {
  for (const node of ['/a"b/node', "/a'b/node", "/a\\b/node"]) {
    expect(() => systemdUnit(planService({ ...machine, node }, {}), MARKER)).toThrow(PidexError);
  }
});

describe("a plan", () => {
  test("has full paths, but leaves what pidex itself expands", () => {
    const environment = {
      PIDEX_DB: "cache/x.db",
      PIDEX_ROOTS: `~/s${delimiter}t`,
      XDG_CACHE_HOME: "",
      HOME: "/h",
    };
    const plan = planService({ ...machine, environment }, { root: ["here", "~/there", "file:///x"] });
    expect(plan.environment).toEqual({
      PIDEX_DB: resolve("cache/x.db"),
      PIDEX_ROOTS: `~/s${delimiter}${resolve("t")}`,
    });
    expect(plan.argv.slice(4)).toEqual([
      "--root",
      resolve("here"),
      "--root",
      "~/there",
      "--root",
      "file:///x",
    ]);
  });

  test.each(["/a\nb", "/a\u0085b", "/a\ud800b", "/a\0b"])("is refused for %j", (db) => {
    expect(() => planService(machine, { db })).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
  });

  test("is refused to a pidex that npx fetched", () => {
    const script = "/home/ada/.npm/_npx/1a2b/node_modules/pidex/dist/bin/pidex.js";
    expect(() => planService({ ...machine, script }, {})).toThrow(
      expect.objectContaining({ code: "SERVICE_UNAVAILABLE", hint: expect.stringContaining("npm install") }),
    );
  });
});
