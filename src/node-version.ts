/** The oldest supported Node version, the same as in package.json's `engines`. */
export const MIN_NODE_VERSION = "22.22.0";

/**
 * Returns an error message if Node is too old. This module imports nothing and uses no new syntax, so that any Node
 * can load it: on Node 20 the database driver would crash the process.
 */
export function nodeVersionError(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = MIN_NODE_VERSION.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Node ${MIN_NODE_VERSION} or newer is required; this is Node ${version}`;
}
