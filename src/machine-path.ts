/**
 * Paths of files on other machines, as a hub names them: the name of the machine, a colon, and the path there, such as
 * `laptop:/home/ada/.pi/agent/sessions/…`. Names have at least two characters, so that `C:\…` is not one.
 */
const MACHINE_PATH = /^(?!file:)[a-z0-9][a-z0-9._-]+:(?=[/\\]|[A-Za-z]:)/;

/** The pattern of machine names. */
export const MACHINE_NAME = /^(?!file$)[a-z0-9][a-z0-9._-]{1,62}$/;

/** Whether a text is a path on another machine. */
export function isMachinePath(text: string): boolean {
  return MACHINE_PATH.test(text);
}

/** The parts of a path on another machine; undefined for other texts. */
export function splitMachinePath(text: string): { machine: string; path: string } | undefined {
  const [prefix] = MACHINE_PATH.exec(text) ?? [];
  return prefix === undefined ? undefined : { machine: prefix.slice(0, -1), path: text.slice(prefix.length) };
}

export function toMachinePath(machine: string, path: string): string {
  return `${machine}:${path}`;
}

/**
 * The path of a file of a machine as the ledger compares it with others: an absolute POSIX path that begins with the machine, whatever
 * its system. `laptop` and `C:\\Users\\ada` become `/laptop/C:/Users/ada`.
 */
export function toLedgerPath(machine: string, path: string): string {
  return `/${machine}/${path.replaceAll("\\", "/").replace(/^\/+/, "")}`;
}

/** The same of a path that a session records; relative paths and other texts are returned unchanged. */
export function toRecordedLedgerPath(machine: string, recorded: string): string {
  const path = recorded.startsWith("file://") ? recorded.slice("file://".length) : recorded;
  return /^(?:[/\\]|[A-Za-z]:[/\\])/.test(path) ? toLedgerPath(machine, path) : recorded;
}
