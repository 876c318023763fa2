/**
 * Compiled against the types of two versions of pi: what the extension takes of pi is there. Those of 1.5.2 are checked as far
 * as they stand without the packages that test/peer leaves out.
 */

import pidex from "../../../bin/pi/extension.ts";
import type { ExtensionFactory } from "../../peer/node_modules/@mariozechner/pi-coding-agent/dist/index.js";
import type { ExtensionFactory as NewExtensionFactory } from "../../peer/node_modules/pi-1.5.2/dist/index.js";

export const extension: ExtensionFactory & NewExtensionFactory = pidex;
