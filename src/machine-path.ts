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
