import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { pidex } from "../cli.ts";

test("values nested too deep to print don't affect the rest of a session", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  session({ id: "deep" })
    .user("before")
    .raw(`{"type":"custom","id":"d","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","data":${deep}}`)
    .user("after")
    .writeUnder(root);
  const where = ["--root", root, "--db", join(folder, "index.db")];
  for (const flags of [
    ["--all", "--full"],
    ["--all", "--json"],
    ["--all", "--ndjson"],
  ]) {
    const { exit, out } = await pidex(["show", "@last", ...flags, ...where]);
    expect(exit).toBe(0);
    expect(out).toContain("before");
    expect(out).toContain("after");
  }
});
