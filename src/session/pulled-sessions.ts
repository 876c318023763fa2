/** The sessions of the user's other machines, as `pidex pull` stores them: a folder for each machine. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Environment, findHome, getDataFolder } from "../environment.ts";
import { systemCode } from "../errors.ts";
import { MACHINE_NAME } from "../machine-path.ts";

/**
 * The folder with a folder for each machine.
 *
 * @throws PidexError `NO_HOME`
 */
export function getMachinesFolder(environment: Environment = process.env): string {
  return join(getDataFolder(environment, process.platform), "machines");
}

/** The folders of machines from which sessions were pulled. None if they cannot be listed. */
export function findMachineFolders(environment: Environment): string[] {
  if (!environment.XDG_DATA_HOME && findHome(environment) === undefined) return [];
  const folder = getMachinesFolder(environment);
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) =>
      entry.isDirectory() && MACHINE_NAME.test(entry.name) ? [join(folder, entry.name)] : [],
    );
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}
