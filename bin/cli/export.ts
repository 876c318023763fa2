import { extname } from "node:path";
import { loadRedactor } from "../../index.ts";
import { assertOneIsNamed, type Format, writeExport } from "../web/export/write-export.ts";
import { intoFile } from "./into-file.ts";
import type { Io } from "./io.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";

interface Flags extends CommonOptions {
  all?: boolean;
  leaf?: string;
  search?: string;
  format?: Format;
  output?: string;
  images?: "yes" | "no";
  /** Secrets are masked unless this is false. */
  redact?: boolean;
  force?: boolean;
}

/** `pidex export`: a session, a branch of it, or what a search finds, as something to keep or to send. */
export async function run(io: Io, [session]: string[], flags: Flags): Promise<number> {
  const { output, leaf, all, search, images } = flags;
  assertOneIsNamed({ session, search });
  const redactor = flags.redact === false ? undefined : await loadRedactor();
  const options = { session, search, leaf, all, format: formatOf(flags), redactor };
  const asked = images === undefined ? options : { ...options, images: images === "yes" };
  const work = (into: Io) =>
    withIndex(into, flags, (index) => writeExport(index, asked, (text) => into.out(text)));
  if (output === undefined || output === "-") await work(io);
  else await intoFile(output, { io, replace: flags.force === true, redactor }, work);
  return EXIT.done;
}

function formatOf({ format, output }: Flags): Format {
  if (format !== undefined) return format;
  const ending = extname(output ?? "").toLowerCase();
  if (ending === ".md" || ending === ".markdown") return "md";
  return ending === ".jsonl" || ending === ".ndjson" ? "jsonl" : "html";
}
