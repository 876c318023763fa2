import { quoteForShell } from "../../library/internal.ts";
import { COMMANDS, type CommandName } from "./commands.ts";
import type { CommandDefinition } from "./option-types.ts";

/**
 * Formats the options of a command line for a command that the user can copy: `--by tool --project shop`. Values that come from an
 * environment variable are omitted.
 *
 * @param except names of options that the command must not have
 */
export function formatFlags(
  command: CommandName,
  flags: Readonly<Record<string, unknown>>,
  except: readonly string[],
): string[] {
  const { options = [], groups = {} }: CommandDefinition = COMMANDS[command];
  return [...options, ...Object.values(groups).flat()].flatMap(
    ([text, , { env, default: standard } = {}]) => {
      const [, long = "", placeholder] = /--(\S+) ?(.*)$/.exec(text) ?? [];
      const isNegative = long.startsWith("no-");
      const name = toCamelCase(isNegative ? long.slice("no-".length) : long);
      const value = flags[name];
      if (except.includes(name) || value === undefined || value === standard) return [];
      if (env !== undefined && value === process.env[env]) return [];
      if (typeof value === "boolean") {
        const isWritten = isNegative ? !value : value;
        return isWritten ? [`--${long}`] : [];
      }
      if (isNegative || placeholder === "") return [];
      return [value].flat().map((each) => `--${long} ${quoteForShell(String(each))}`);
    },
  );
}

function toCamelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
