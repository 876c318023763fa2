/** Session properties that `pidex pick --print` can print. */
export const PRINTED = ["path", "id", "cwd", "command", "name"] as const;
export type Printed = (typeof PRINTED)[number];
