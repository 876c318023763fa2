/** Exports that only pidex's own programs use. */
export { JSON_SCHEMA_VERSION } from "../query/json-version.ts";
export type { SessionSummary } from "../query/list.ts";
export { isTimeZone, MOMENT_HINT, parseMoment, resolveDates } from "../query/parse-moment.ts";
export { createPriceBook, type PriceBook } from "../query/prices/price-book.ts";
export { priceTokens } from "../query/prices/price-tokens.ts";
export { loadRedactor, type Redactor } from "../query/secrets/redact.ts";
export { describeInvalidBudget, parseBudget } from "../query/usage/parse-budget.ts";
export { findPeriod, getSystemTimeZone } from "../query/usage/periods.ts";
export { findHome, getConfigFolder, getDataFolder } from "../src/environment.ts";
export { toMessage } from "../src/errors.ts";
export { findNearestWord } from "../src/nearest-word.ts";
export { detectAgent, detectProfile } from "../src/session/agents.ts";
export { isCompanionPath } from "../src/session/companions.ts";
export {
  assertNotCompressed,
  hasCompressedFile,
  statSessionFiles,
} from "../src/session/compressed-session.ts";
export { LINE_HASH_PATTERN } from "../src/session/line-hash.ts";
export { toCompressedPath } from "../src/session/locations.ts";
export { findPulledAgent } from "../src/session/pulled-sessions.ts";
export { readLastLines, readLineAtOffset } from "../src/session/single-lines.ts";
export { normalizeTags, parseTag } from "../src/session/tags.ts";
export { removeOutcome } from "../src/session/titles/session-title.ts";
export { findLeftovers, settleLeftovers } from "../src/session/writing/find-leftovers.ts";
export { readSessionHeader } from "../src/session/writing/find-sessions.ts";
export { replaceFile } from "../src/session/writing/replace-file.ts";
export { withRewriteLock } from "../src/session/writing/rewrite-lock.ts";
export { toSiblingFolder } from "../src/session/writing/sibling-folder.ts";
export { quoteForShell } from "../src/shell-word.ts";
export { getDatabasePath } from "../src/store/sqlite/database-path.ts";
export { assertNotUpgraded } from "../src/upgrade-check.ts";
export { getPricesPath } from "./user-prices.ts";
