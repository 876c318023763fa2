/** Compiled against pi's own types: what the extension takes of pi is there. */

import pidex from "../../../bin/pi/extension.ts";
import type { ExtensionFactory } from "../../peer/node_modules/@mariozechner/pi-coding-agent/dist/index.js";

export const extension: ExtensionFactory = pidex;
