import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { findNode, MIN_NODE_VERSION } from "../../../bin/pi/find-node.ts";
import { temporaryFolder } from "../../temporary.ts";
import { HOME } from "../cli.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Replaces the node on the PATH with a program that prints a version. */
function onlyNode(version?: string): void {
  const folder = temporaryFolder();
  vi.stubEnv("PATH", folder);
  if (version === undefined) return;
  writeFileSync(join(folder, "node"), `#!/bin/sh\necho ${version}\n`);
  chmodSync(join(folder, "node"), 0o755);
}

test("pi's own Node is used if it is new enough, otherwise the one on the PATH", async () => {
  expect(await findNode()).toBe(process.execPath);
  onlyNode("v22.22.0");
  expect(await findNode({ ...process.versions, bun: "1.3.0" })).toBe("node");
  expect(await findNode({ ...process.versions, node: "20.19.0" })).toBe("node");
});

test("without a Node that is new enough, the error says what to do", async () => {
  const bun = { ...process.versions, bun: "1.3.0" };
  onlyNode("v22.21.9");
  await expect(findNode(bun)).rejects.toMatchObject({
    code: "NODE_TOO_OLD",
    message: /node on the PATH is 22\.21\.9/,
  });
  onlyNode();
  await expect(findNode(bun)).rejects.toMatchObject({ message: /PATH has no node/ });
});

test("the minimum version is that of package.json", () => {
  const { engines } = JSON.parse(readFileSync(join(HOME, "package.json"), "utf8"));
  expect(engines.node).toBe(`>=${MIN_NODE_VERSION.join(".")}`);
});
