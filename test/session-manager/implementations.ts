/**
 * The two SessionManagers that the tests of this folder compare: the published pi's, which `npm run peer` installs in
 * test/peer, and ours.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as pidex from "../../index.ts";

// The deepest module that has them: all of pi takes seconds to load.
const deepest = "node_modules/@mariozechner/pi-coding-agent/dist/core/session-manager.js";
const path = join(import.meta.dirname, "../peer", deepest);
if (!existsSync(path)) throw new Error("pi is not there to compare with: npm run peer");

/** What both have, as ours is typed. pi's has fewer methods and takes fewer arguments: differences.ts says which. */
export type Implementation = Omit<typeof pidex, "default"> & { name: "pi 0.73.1" | "pidex" };

/** The URL of pi's module. */
export const piModule = pathToFileURL(path).href;

const pi = (await import(piModule)) as typeof pidex;

export const implementations: Implementation[] = [
  { ...pi, name: "pi 0.73.1" },
  { ...pidex, name: "pidex" },
];
