/** Exports that only pidex's own programs use. */
export { JSON_SCHEMA_VERSION } from "../query/json-version.ts";
export type { SessionSummary } from "../query/list.ts";
export { isTimeZone, MOMENT_HINT, parseMoment, resolveDates } from "../query/parse-moment.ts";
export { loadRedactor, type Redactor } from "../query/secrets/redact.ts";
export { findPeriod, getSystemTimeZone } from "../query/usage/periods.ts";
export { findHome, getConfigFolder, getDataFolder } from "../src/environment.ts";
export { toMessage } from "../src/errors.ts";
export { findNearestWord } from "../src/nearest-word.ts";
export { detectAgent, detectProfile } from "../src/session/agents.ts";
export { readLastLines, readLineAtOffset } from "../src/session/single-lines.ts";
export { normalizeTags, parseTag } from "../src/session/tags.ts";
export { readSessionHeader } from "../src/session/writing/find-sessions.ts";
export { replaceFile } from "../src/session/writing/replace-file.ts";
export { withRewriteLock } from "../src/session/writing/rewrite-lock.ts";
export { toSiblingFolder } from "../src/session/writing/sibling-folder.ts";
export { quoteForShell } from "../src/shell-word.ts";
export { getDatabasePath } from "../src/store/sqlite/database-path.ts";
export { assertNotUpgraded } from "../src/upgrade-check.ts";
