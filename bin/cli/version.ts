import packageJson from "../../package.json" with { type: "json" };

/** The version of pidex that runs. */
export function version(): string {
  return packageJson.version;
}
