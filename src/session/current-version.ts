/** The session version that pi writes. `upgrade.ts` upgrades older sessions in memory. */
export const CURRENT_SESSION_VERSION = 3;
