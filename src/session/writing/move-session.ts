import { closeSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { badOption } from "../../errors.ts";
import { fsPath } from "../../path-bytes.ts";
import { companionsOf } from "../companions.ts";
import { rewriteHeader } from "./copy-session.ts";
import { openSessionFile } from "./load.ts";
import { assertFolderWithin, assertWithin } from "./opened-place.ts";
import { inWords } from "./replace-file.ts";

/**
 * Moves a session's file, and what belongs to it, into a folder, and writes another working directory into its header. What
 * belongs to it goes first, then the file, then the header is written: where it breaks off, doing it again goes on with it.
 *
 * @param within what the real paths of the file must begin with, before and after the move
 * @returns the file's new path
 * @throws PidexError `BAD_OPTION` where others of its names are there, `FILE_UNWRITABLE`, `NOT_A_SESSION`
 */
export function moveSession(path: string, folder: string, cwd: string, within?: readonly string[]): string {
  const target = join(folder, basename(path));
  if (target !== path) {
    inWords(target, () => {
      const files = [...companionsOf(path), path];
      const taken = files
        .map((file) => join(folder, basename(file)))
        .find((file) => existsSync(fsPath(file)));
      if (taken) throw badOption(`${taken} is there already`, "Move that away first.");
      assertLiesWithin(path, within);
      assertFolderWithin(folder, within);
      mkdirSync(fsPath(folder), { recursive: true });
      for (const file of files) renameSync(fsPath(file), fsPath(join(folder, basename(file))));
    });
  }
  rewriteHeader(target, (header) => ({ ...header, cwd }), within);
  return target;
}

function assertLiesWithin(path: string, within: readonly string[] | undefined): void {
  const fd = openSessionFile(path);
  try {
    assertWithin(fd, path, within);
  } finally {
    closeSync(fd);
  }
}
