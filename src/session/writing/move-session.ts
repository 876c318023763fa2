import { closeSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { badOption } from "../../errors.ts";
import { encodePath } from "../../path-bytes.ts";
import { findCompanions } from "../companions.ts";
import { assertNotCompressed } from "../compressed-session.ts";
import { openPlain } from "../session-bytes.ts";
import { assertFolderWithin, assertWithin } from "./assert-within.ts";
import { rewriteHeader } from "./copy-session.ts";
import { withWriteErrors } from "./replace-file.ts";

/**
 * Moves a session file and its companions to a folder, and changes the working directory in its header. Moves the companions
 * first, then the file, then writes the header, so that an interrupted move can be repeated.
 *
 * @param within allowed prefixes of the file's real path, before and after the move
 * @returns the new path
 * @throws PidexError `BAD_OPTION` if a file of the same name exists there, `FILE_UNWRITABLE`, `NOT_A_SESSION`
 */
export function moveSession(path: string, folder: string, cwd: string, within?: readonly string[]): string {
  assertNotCompressed(path);
  const target = join(folder, basename(path));
  if (target !== path) {
    withWriteErrors(target, () => {
      const files = [...findCompanions(path), path];
      const taken = files
        .map((file) => join(folder, basename(file)))
        .find((file) => existsSync(encodePath(file)));
      if (taken) throw badOption(`${taken} already exists`, "Move that file first.");
      assertLiesWithin(path, within);
      assertFolderWithin(folder, within);
      mkdirSync(encodePath(folder), { recursive: true });
      for (const file of files) renameSync(encodePath(file), encodePath(join(folder, basename(file))));
    });
  }
  rewriteHeader(target, (header) => ({ ...header, cwd }), within);
  return target;
}

function assertLiesWithin(path: string, within: readonly string[] | undefined): void {
  const fd = openPlain(path);
  try {
    assertWithin(fd, path, within);
  } finally {
    closeSync(fd);
  }
}
