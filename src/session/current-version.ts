/** The version pi writes today. Older ones are upgraded in memory by `upgrade.ts`. */
export const CURRENT_SESSION_VERSION = 3;
