/**
 * Lets `dist/core/session-manager.js` of pi 1.5.2 be loaded alone. It imports two functions of pi-ai, whose index also
 * loads packages that package.json leaves out (not every registry has all of them). Both come from pi-ai's own files instead.
 */
import { registerHooks } from "node:module";

const functions = new URL("./pi-ai-1.5.2.mjs", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "@earendil-works/pi-ai" && context.parentURL?.includes("/pi-1.5.2/")
      ? { url: functions, shortCircuit: true }
      : next(specifier, context),
});
