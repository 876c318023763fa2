/** The oldest supported Node version, the same as in package.json's `engines`. */
export const OLDEST_NODE = "22.22.0";

/**
 * Returns an error message if Node is too old. This module imports nothing and uses no new syntax, so that any Node
 * can load it: on Node 20 the database driver would crash the process.
 */
export function nodeComplaint(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `pidex needs Node ${OLDEST_NODE} or newer; this is Node ${version}`;
}
