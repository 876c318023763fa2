import { PidexError } from "../../library/index.ts";

/** Commands that run although the configuration is invalid. The picker reports it itself. */
const TOLERANT = ["config", "completions", "demo", "doctor", "help", "pick"];
const FLAGS = ["-h", "--help", "-V", "--version"];

/** @throws PidexError `BAD_OPTION` with the first problem, unless the command does without a valid configuration */
export function assertValidConfig([problem = ""]: readonly string[], argv: readonly string[]): void {
  const command = argv.find((word) => !word.startsWith("-"));
  if (argv.length === 0 || argv.some((word) => FLAGS.includes(word)) || TOLERANT.includes(command ?? ""))
    return;
  throw new PidexError(
    "BAD_OPTION",
    problem,
    "Correct it with pidex config edit; pidex config lists all settings.",
  );
}
