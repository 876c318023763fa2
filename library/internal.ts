/** Exports that only pidex's own programs use. */
export { JSON_SCHEMA_VERSION } from "../query/json-version.ts";
export type { BriefSession } from "../query/list.ts";
export { loadRedactor, type Redactor } from "../query/secrets/redact.ts";
export { nearestWord } from "../src/nearest-word.ts";
export { assertNotUpgraded } from "../src/same-build.ts";
export { agentOf, profileOf } from "../src/session/agents.ts";
export { readLastLines, readLineAt } from "../src/session/some-lines.ts";
export { readSessionHeader } from "../src/session/writing/find-sessions.ts";
export { folderBeside } from "../src/session/writing/folder-beside.ts";
export { shellWord } from "../src/shell-word.ts";
export { findHome } from "../src/surroundings.ts";
