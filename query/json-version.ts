/**
 * Raised when JSON output changes incompatibly. Separate from `answers.ts`, which only documentation and tests load
 * at run time.
 */
export const JSON_SCHEMA_VERSION = 1;
