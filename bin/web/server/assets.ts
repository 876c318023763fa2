/** The files of the page, built by vite. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { PidexError } from "../../../library/index.ts";

export interface Asset {
  content: Uint8Array<ArrayBuffer>;
  type: string;
  /** Whether the name contains a hash of the content. */
  isHashed: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** The folder of the built page: beside the built program, or in `dist` when run from source. */
export function pageFolder(): string {
  const here = import.meta.url;
  return fileURLToPath(new URL(here.endsWith(".ts") ? "../../../dist/bin/page" : "./page", here));
}

/**
 * Loads the files of a folder by URL path. Requests are looked up only in this map, so no path leads to another file.
 *
 * @throws PidexError `FILE_UNREADABLE` if the page is missing
 */
export function loadAssets(folder: string): Map<string, Asset> {
  if (!existsSync(join(folder, "index.html")))
    throw new PidexError(
      "FILE_UNREADABLE",
      `the page is not built: ${folder} has no index.html`,
      "Run npm run build.",
    );
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return new Map(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      const urlPath = `/${relative(folder, path).split(sep).join("/")}`;
      const type = TYPES[extname(file.name)] ?? "application/octet-stream";
      const content = new Uint8Array(readFileSync(path));
      return [urlPath, { content, type, isHashed: urlPath.startsWith("/assets/") }];
    }),
  );
}
