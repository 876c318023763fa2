import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin } from "rolldown";

/** Adds `licenses.txt` to a bundle: the licenses of the bundled packages, which must be distributed with their code. */
export const licenses = (): Plugin => ({
  name: "licenses",
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
    const source = listLicenses(modules);
    if (source) this.emitFile({ type: "asset", fileName: "licenses.txt", source });
  },
});

/** Adds `fonts.txt` to the page in a folder: the licenses of its fonts. vite lists only those of code. */
export const fontLicenses = (folder: string): Plugin => ({
  name: "font-licenses",
  generateBundle(_, bundle) {
    const files = Object.values(bundle).flatMap((file) =>
      file.type === "asset" ? file.originalFileNames : [],
    );
    const source = listLicenses(
      files.filter((path) => path.endsWith(".woff2")).map((path) => resolve(folder, path)),
    );
    this.emitFile({ type: "asset", fileName: "fonts.txt", source });
  },
});

/** The licenses of the packages that files belong to. */
function listLicenses(paths: readonly string[]): string {
  const packages = new Set(paths.filter((id) => /[\\/]node_modules[\\/]/.test(id)).map(findPackage));
  if (packages.size === 0) return "";
  return `${[...packages]
    .sort()
    .map(readLicense)
    .join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** The folder of the package that a module belongs to. */
function findPackage(id: string): string {
  const path = id.replace(/^\0/, "").replace(/\?.*$/, "");
  // Not the nearest package.json: packages with two module systems have nested ones without a name.
  const name = /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)(?!.*[\\/]node_modules[\\/])/.exec(path);
  if (!name) throw new Error(`${id} is in no package`);
  return path.slice(0, name.index + name[0].length);
}

function readLicense(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  return [
    `${name} ${version} (${license})`,
    ...files.map((file) => readFileSync(join(folder, file), "utf8").trim()),
  ].join("\n\n");
}
