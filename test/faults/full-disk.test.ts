/** Full disks: small ones that a child process mounts. */

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { migrations } from "../../migrations/index.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";
import type { Dump } from "../indexer/dump.ts";
import { canMount, MOUNT_COMMAND } from "./machine.ts";
import { broken, createClient, createWorkspace, dumpDatabase, type Json, runJson } from "./run-faults.ts";

const CHILD = join(import.meta.dirname, "full-disk-child.ts");

const kib = (...rooms: number[]): string[] => rooms.map((room) => String(room << 10));
/** Free bytes that run out at different points: before the database exists, within its first tables, within the rows. */
const ROOMS = kib(0, 40, 100, 300, 500, 700, 1_200);

/** Texts by which a full disk is reported, including those where SQLite has no code for it. */
const fullDisk = (code: string) => ({
  code,
  message: expect.stringMatching(/disk is full|ENOSPC/),
  hint: expect.stringMatching(/space/i),
  cause: expect.anything(),
});

describe.skipIf(!canMount)("a full disk (skipped without permission to mount),", () => {
  let folder: string;
  let results: Json;
  let expected: Dump;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pidex-faults-"));
    const workspace = createWorkspace(folder);
    const kept = join(folder, "kept.db");
    await runJson(createClient(workspace), "index");
    copyFileSync(workspace.db, kept);
    const large = broken();
    const words = Array.from({ length: 60 }, (_, n) => n);
    for (let n = 0; n < 120; n++)
      large.user(`said ${n} ${words.map((word) => `w${n * 60 + word}`).join(" ")}`);
    large.writeUnder(workspace.root);
    await runJson(createClient(workspace), "index");
    expected = dumpDatabase(workspace.db);
    const old = session({ version: 1, id: "old" });
    for (let n = 0; n < 50; n++) old.user(`said ${n} ${"x".repeat(1_000)}`);
    const released = join(folder, "released.db");
    await (await openDatabase({ path: released, migrations })).close();
    const scenarios = {
      first: ["ingest", workspace.root, "-", ...ROOMS],
      more: ["ingest", workspace.root, kept, ...ROOMS],
      migration: ["migration", released, ...kib(0, 40, 100, 4_000)],
      append: ["append"],
      create: ["create"],
      upgrade: ["upgrade", old.write(join(folder, "old.jsonl")), ...kib(0, 4, 8, 30, 60, 500)],
    };
    const [name = "", ...before] = MOUNT_COMMAND;
    const child = [process.execPath, "--no-warnings", CHILD, folder, JSON.stringify(scenarios)];
    const { status, stdout, stderr } = spawnSync(name, [...before, ...child], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    results = JSON.parse(stdout);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("when an index is created: an error, and with free space again the same rows as a new index", () => {
    const ended = new Set<string>();
    for (const { began, notices, out } of results.first) {
      const { error, value } = began;
      ended.add(error ? "not opened" : value.synced.error ? "not synced" : "done");
      if (error)
        expect(error).toEqual(fullDisk(expect.stringMatching(/DATABASE_UNAVAILABLE|MIGRATION_FAILED/)));
      else if (value.synced.error) expect(value.synced.error).toEqual(fullDisk("DATABASE_UNAVAILABLE"));
      expect(notices).toEqual([]);
      expect(dumpDatabase(out)).toEqual(expected);
    }
    expect(ended).toEqual(new Set(["not opened", "not synced", "done"]));
  });

  test("when new sessions are read: the others are unaffected, and with free space again all are indexed", () => {
    let full = 0;
    for (const { room, began, notices, out } of results.more) {
      const { error, value } = began;
      expect([room, error]).toEqual([room, undefined]); // even if no file can be created beside it
      const ids = value.synced.error ? ["newer", "older"] : ["newer", "broken", "older"];
      expect([room, value.sessions]).toEqual([room, ids]);
      if (value.synced.error) {
        full++;
        expect(value.synced.error).toEqual(fullDisk("DATABASE_UNAVAILABLE"));
      }
      expect(notices).toEqual([]);
      expect(dumpDatabase(out)).toEqual(expected);
    }
    expect(full).toBeGreaterThan(1);
  });

  test("when an old database is migrated: it is unchanged, and with free space again it is migrated", () => {
    const failed = results.migration.filter(({ opened }: Json) => opened.error);
    expect([failed.length > 1, failed.length < results.migration.length]).toEqual([true, true]);
    for (const { opened, isSame } of failed) {
      expect(opened.error).toEqual(fullDisk(expect.stringMatching(/DATABASE_UNAVAILABLE|MIGRATION_FAILED/)));
      expect(isSame).toBe(true);
    }
    for (const { again, sides } of results.migration) expect([again, sides]).toEqual([{}, []]);
  });

  test("when a session is appended to: acknowledged entries are kept, and memory and file agree", () => {
    const { failed, acknowledged, entriesThen, isAppendedTo, ids, leaf } = results.append;
    expect(failed).toMatchObject({
      code: "FILE_UNWRITABLE",
      hint: expect.stringContaining("The disk is full"),
    });
    expect(acknowledged.length).toBeGreaterThan(1);
    expect(entriesThen).toBe(acknowledged.length); // with the first message, and without the second
    expect(isAppendedTo).toBe(true);
    expect(ids.slice(1)).toEqual(acknowledged);
    expect(leaf).toBe(acknowledged.at(-1));
  });

  test("when a session is created: nothing is left behind, and with free space it is created", () => {
    const { failed, left, again, names, entries } = results.create;
    expect(failed.error).toMatchObject({ code: "FILE_UNWRITABLE" });
    expect(left).toEqual([]);
    expect(again).toEqual({ value: expect.any(String) });
    expect([names.length, entries]).toEqual([1, 1]);
  });

  test("when an old session is upgraded: it is unchanged and readable, and nothing is left beside it", () => {
    const failed = results.upgrade.filter(({ opened }: Json) => opened.error);
    expect([failed.length > 2, failed.length < results.upgrade.length]).toEqual([true, true]);
    for (const { opened, names, isSame, readOnly } of failed) {
      const hint = expect.stringContaining("The disk is full");
      expect(opened.error).toMatchObject({ code: "FILE_UNWRITABLE", hint });
      expect([names, isSame, readOnly]).toEqual([["ballast", "old.jsonl"], true, { value: 50 }]);
    }
    for (const { again, after } of results.upgrade)
      expect([again, after]).toEqual([{ value: 50 }, ["old.jsonl"]]);
  });
});
