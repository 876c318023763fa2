import { toOneLine } from "../format/safe.ts";
import { findLine, parseConfig, readConfigText } from "./config-file.ts";
import { parseSettings } from "./parse-settings.ts";
import { SETTINGS } from "./settings.ts";

/** `applyConfig` with an existing file. @param applied receives the names of the variables that are set */
export async function loadConfig(
  path: string,
  env: NodeJS.ProcessEnv,
  applied: Set<string>,
): Promise<string[]> {
  const problems: string[] = [];
  const report = (what: string, line?: number) => {
    problems.push(toOneLine(`${path}${line === undefined ? "" : `, line ${line}`}: ${what}`));
  };
  const text = readConfigText(path, report);
  if (text === "") return problems;
  const values = parseSettings(await parseConfig(text, report), (what, table, name) =>
    report(what, findLine(text, table, name)),
  );
  for (const [name, value] of values) {
    const { env: variable, toText } = SETTINGS[name] as (typeof SETTINGS)[string];
    const textValue = toText(value);
    if (env[variable] !== undefined || textValue === "") continue;
    env[variable] = textValue;
    applied.add(variable);
  }
  return problems;
}
