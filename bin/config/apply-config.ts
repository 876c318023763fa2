/**
 * Applies `config.toml` to the environment, so that all code, threads and processes of a command see its settings. What reads the file is
 * loaded only if there is one, because this runs before every command.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { getConfigFolder } from "../../library/internal.ts";

const CONFIG_FILE = "config.toml";

/** The folder of `config.toml`; undefined without a home folder, which is reported by what needs it. */
function findConfigFolder(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return getConfigFolder(env, process.platform);
  } catch {
    return undefined;
  }
}

/** The variables that `applyConfig` has set. */
const applied = new Set<string>();

/** The environment without the settings of the file: for programs that are not pidex, such as agents. */
export function withoutConfig(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !applied.has(name)));
}

/**
 * Sets the environment variables of settings in the file, unless they are set.
 *
 * @returns what is invalid above all tables of the file, safe to print. Valid settings still apply
 */
export async function applyConfig(env: NodeJS.ProcessEnv): Promise<string[]> {
  const folder = findConfigFolder(env);
  if (folder === undefined || !existsSync(join(folder, CONFIG_FILE))) return [];
  const { loadConfig } = await import("./load-config.ts");
  return loadConfig(join(folder, CONFIG_FILE), env, applied);
}
