import { join } from "node:path";
import { type Environment, getCacheFolder } from "../../environment.ts";

/**
 * The path of the database: `$PIDEX_DB`, or `pidex/index.db` in the user's cache folder
 * (`$XDG_CACHE_HOME` or `~/.cache`; macOS `~/Library/Caches`; Windows `%LOCALAPPDATA%`).
 *
 * @throws PidexError `NO_HOME`
 */
export function getDatabasePath(
  environment: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (environment.PIDEX_DB) return environment.PIDEX_DB;
  return join(getCacheFolder(environment, platform), "pidex", "index.db");
}
