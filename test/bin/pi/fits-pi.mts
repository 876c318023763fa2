/**
 * Compiled against the types of two versions of pi, to check that they have what the extension uses. Types of 1.5.2 that depend
 * on packages missing in test/peer are not checked.
 */

import pidex from "../../../bin/pi/extension.ts";
import type { ExtensionFactory } from "../../peer/node_modules/@mariozechner/pi-coding-agent/dist/index.js";
import type { ExtensionFactory as NewExtensionFactory } from "../../peer/node_modules/pi-1.5.2/dist/index.js";

export const extension: ExtensionFactory & NewExtensionFactory = pidex;
