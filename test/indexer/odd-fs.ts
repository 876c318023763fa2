/** The functions of `node:fs` that the simulations use, for paths that may not be UTF-8. */
import * as fs from "node:fs";
import { join } from "node:path";
import { decodePath, encodePath } from "../../src/path-bytes.ts";

export const appendFileSync = (path: string, data: string | Buffer) =>
  fs.appendFileSync(encodePath(path), data);
export const chmodSync = (path: string, mode: number) => fs.chmodSync(encodePath(path), mode);
export const copyFileSync = (from: string, to: string) => fs.copyFileSync(encodePath(from), encodePath(to));
export const existsSync = (path: string) => fs.existsSync(encodePath(path));
export const linkSync = (from: string, to: string) => fs.linkSync(encodePath(from), encodePath(to));
export const mkdirSync = (path: string) => fs.mkdirSync(encodePath(path), { recursive: true });
export const openSync = (path: string, flags: string) => fs.openSync(encodePath(path), flags);
export const renameSync = (from: string, to: string) => fs.renameSync(encodePath(from), encodePath(to));
export const rmSync = (path: string) => fs.rmSync(encodePath(path));
export const statSync = (path: string) => fs.statSync(encodePath(path));
export const symlinkSync = (target: string, path: string) =>
  fs.symlinkSync(encodePath(target), encodePath(path));
export const truncateSync = (path: string, size: number) => fs.truncateSync(encodePath(path), size);
export const utimesSync = (path: string, atime: fs.TimeLike, mtime: fs.TimeLike) =>
  fs.utimesSync(encodePath(path), atime, mtime);
export const writeFileSync = (path: string, data: string | Buffer) =>
  fs.writeFileSync(encodePath(path), data);

export function readFileSync(path: string): Buffer;
export function readFileSync(path: string, encoding: "utf8"): string;
export function readFileSync(path: string, encoding?: "utf8"): Buffer | string {
  return encoding ? fs.readFileSync(encodePath(path), encoding) : fs.readFileSync(encodePath(path));
}

/** Copies a folder with its content. */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const name of fs.readdirSync(encodePath(from), "buffer").map(decodePath)) {
    const [path, copy] = [join(from, name), join(to, name)];
    const stat = fs.lstatSync(encodePath(path));
    if (stat.isDirectory()) copyFolder(path, copy);
    else if (!stat.isSymbolicLink()) copyFileSync(path, copy);
    else symlinkSync(decodePath(fs.readlinkSync(encodePath(path), "buffer")), copy);
  }
}
