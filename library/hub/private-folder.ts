import { chmodSync, mkdirSync } from "node:fs";

/** Creates a folder that only its owner can open. An existing one keeps its permissions. */
export function createPrivateFolder(path: string): void {
  const created = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (created !== undefined) chmodSync(path, 0o700);
}
