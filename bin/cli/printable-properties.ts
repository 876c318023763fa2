/** Session properties that `pidex pick --print` can print. */
export const PRINTABLE_PROPERTIES = ["path", "id", "cwd", "command", "name"] as const;
export type PrintableProperty = (typeof PRINTABLE_PROPERTIES)[number];
