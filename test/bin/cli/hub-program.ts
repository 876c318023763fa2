import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { BUILT_PIDEX } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";

/** Starts `pidex hub` in a separate process, which is killed when the test ends. @returns it, with the lines that it prints */
export function startHubProgram(argv: readonly string[]) {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [BUILT_PIDEX, "hub", ...argv], {
    env: { PATH, HOME: temporaryFolder() },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, nextLine: async () => (await lines.next()).value as string };
}

/** A port that is free now: `pidex hub` accepts no port 0. */
export async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return String(port);
}
