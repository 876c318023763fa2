import { onTestFinished } from "vitest";
import { startHub } from "../../bin/hub/hubs.ts";
import { temporaryFolder } from "../../temporary.ts";
import { createMachine } from "./machine.ts";

/** A hub, and two machines of its owner. It is closed when the test ends. */
export async function startTwoMachines() {
  const hub = await startHub();
  onTestFinished(() => hub[Symbol.asyncDispose]());
  const folder = temporaryFolder();
  const laptop = createMachine(hub, hub.owner, folder);
  const desktop = createMachine(hub, await hub.addMachine(hub.owner, "desktop"), folder);
  return { hub, laptop, desktop };
}
