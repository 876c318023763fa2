/** What the worlds of these tests need of `node:fs`, for paths that need not be UTF-8. */
import * as fs from "node:fs";
import { join } from "node:path";
import { fsPath, pathText } from "../../src/path-bytes.ts";

export const appendFileSync = (path: string, data: string | Buffer) => fs.appendFileSync(fsPath(path), data);
export const chmodSync = (path: string, mode: number) => fs.chmodSync(fsPath(path), mode);
export const copyFileSync = (from: string, to: string) => fs.copyFileSync(fsPath(from), fsPath(to));
export const existsSync = (path: string) => fs.existsSync(fsPath(path));
export const linkSync = (from: string, to: string) => fs.linkSync(fsPath(from), fsPath(to));
export const mkdirSync = (path: string) => fs.mkdirSync(fsPath(path), { recursive: true });
export const openSync = (path: string, flags: string) => fs.openSync(fsPath(path), flags);
export const renameSync = (from: string, to: string) => fs.renameSync(fsPath(from), fsPath(to));
export const rmSync = (path: string) => fs.rmSync(fsPath(path));
export const statSync = (path: string) => fs.statSync(fsPath(path));
export const symlinkSync = (target: string, path: string) => fs.symlinkSync(fsPath(target), fsPath(path));
export const truncateSync = (path: string, size: number) => fs.truncateSync(fsPath(path), size);
export const utimesSync = (path: string, atime: fs.TimeLike, mtime: fs.TimeLike) =>
  fs.utimesSync(fsPath(path), atime, mtime);
export const writeFileSync = (path: string, data: string | Buffer) => fs.writeFileSync(fsPath(path), data);

export function readFileSync(path: string): Buffer;
export function readFileSync(path: string, encoding: "utf8"): string;
export function readFileSync(path: string, encoding?: "utf8"): Buffer | string {
  return encoding ? fs.readFileSync(fsPath(path), encoding) : fs.readFileSync(fsPath(path));
}

/** Copies a folder with all that is in it. */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const name of fs.readdirSync(fsPath(from), "buffer").map(pathText)) {
    const [path, copy] = [join(from, name), join(to, name)];
    const stat = fs.lstatSync(fsPath(path));
    if (stat.isDirectory()) copyFolder(path, copy);
    else if (!stat.isSymbolicLink()) copyFileSync(path, copy);
    else symlinkSync(pathText(fs.readlinkSync(fsPath(path), "buffer")), copy);
  }
}
