/** The page's own files, as vite built them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { PidexError } from "../../../library/index.ts";

export interface Asset {
  content: Uint8Array<ArrayBuffer>;
  type: string;
  /** Whether its name changes with what is in it. */
  isHashed: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Where the built page lies: beside the built program; of the sources, where `npm run build` puts it. */
export function pageFolder(): string {
  const here = import.meta.url;
  return fileURLToPath(new URL(here.endsWith(".ts") ? "../../../dist/bin/page" : "./page", here));
}

/**
 * The files of a folder by their address. Looked up in this list, and nowhere else: no address leads to another file.
 *
 * @throws PidexError `FILE_UNREADABLE` where there is no page
 */
export function loadAssets(folder: string): Map<string, Asset> {
  if (!existsSync(join(folder, "index.html")))
    throw new PidexError("FILE_UNREADABLE", `there is no page in ${folder}`, "Build it: npm run build");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return new Map(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      const address = `/${relative(folder, path).split(sep).join("/")}`;
      const type = TYPES[extname(file.name)] ?? "application/octet-stream";
      const content = new Uint8Array(readFileSync(path));
      return [address, { content, type, isHashed: address.startsWith("/assets/") }];
    }),
  );
}
