/** What `pidex pick --print` can print of a session that was chosen. */
export const PRINTED = ["path", "id", "cwd", "command", "name"] as const;
export type Printed = (typeof PRINTED)[number];
