/** What pi 1.5.2's SessionManager imports from pi-ai: see hooks.mjs. */
export { getCurrentSystemMessage } from "./node_modules/pi-1.5.2/node_modules/@earendil-works/pi-ai/dist/utils/transcript.js";
export { uuidv7 } from "./node_modules/pi-1.5.2/node_modules/@earendil-works/pi-ai/dist/utils/uuid.js";
