/** Finds a Node for the index process. Pi itself may run on Bun or on an older Node. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { PidexError } from "../../library/index.ts";

/** Same as `engines` in package.json, which a test checks. */
export const MIN_NODE_VERSION = [22, 22] as const;

/** @throws PidexError `NODE_TOO_OLD` */
export async function findNode(runtime: NodeJS.ProcessVersions = process.versions): Promise<string> {
  const isNode = runtime.bun === undefined && runtime.electron === undefined;
  if (isNode && isNewEnough(runtime.node)) return process.execPath;
  const version = await versionOfNode();
  if (version !== undefined && isNewEnough(version)) return "node";
  throw new PidexError(
    "NODE_TOO_OLD",
    `pidex needs Node ${MIN_NODE_VERSION.join(".")} or newer, but ${version === undefined ? "PATH has no node" : `node on the PATH is ${version}`}`,
    "Install a newer Node on the PATH of pi and try again.",
  );
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > MIN_NODE_VERSION[0] || (major === MIN_NODE_VERSION[0] && minor >= MIN_NODE_VERSION[1]);
}

async function versionOfNode(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("node", ["--version"], {
      timeout: 10_000,
      windowsHide: true,
    });
    return /^v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined; // not installed, or not working
  }
}
