/**
 * Raised when an answer's JSON changes in a way that could break a reader of it. It stands apart from the schemas
 * in `answers.ts`, which only documentation and tests need at run time.
 */
export const JSON_SCHEMA_VERSION = 1;
