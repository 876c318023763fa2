import { PidexError } from "../../library/index.ts";
import type { ServicePlan } from "./plan.ts";

/**
 * A systemd user unit that keeps `pidex watch` running. `marker` is its first line.
 *
 * @throws PidexError `BAD_OPTION` for a Node in a folder that systemd runs nothing from
 */
export function systemdUnit(
  { argv: [program = "", ...args], environment }: ServicePlan,
  marker: string,
): string {
  if (/["'\\]/.test(program)) {
    const message = `systemd runs no program with a quote or a backslash in its path: ${program}`;
    throw new PidexError("BAD_OPTION", message, "Install Node elsewhere.");
  }
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`)}\n`,
  );
  // A $ is a variable's everywhere but in the program's path, where it is itself.
  const command = [quoted(program), ...args.map((word) => quoted(word).replaceAll("$", "$$$$"))].join(" ");
  return `# ${marker}
[Unit]
Description=pidex keeps the index of pi sessions up to date

[Service]
ExecStart=${command}
${variables.join("")}Restart=on-failure
RestartSec=30
# Wrong use does not get better by trying again.
RestartPreventExitStatus=2
UMask=0077
Nice=10
IOSchedulingClass=idle

[Install]
WantedBy=default.target
`;
}

/** A word as systemd reads it back: in double quotes, with its own escapes, and % doubled since it starts a specifier. */
function quoted(word: string): string {
  const escaped = word.replace(/[\\"%]/g, (sign) => (sign === "%" ? "%%" : `\\${sign}`));
  return `"${escaped}"`;
}
