import { extname } from "node:path";
import { PidexError } from "../../library/index.ts";
import { loadRedactor, quoteForShell } from "../../library/internal.ts";
import { parseReference } from "../agents/citations.ts";
import { toOneLine } from "../format/safe.ts";
import { assertOneSource, type Format, renderExport } from "../web/export/render-export.ts";
import type { Flags } from "./commands.ts";
import { toFilters } from "./filters.ts";
import type { Io } from "./io.ts";
import { ProgressBar } from "./progress.ts";
import { redirectToFile } from "./redirect-to-file.ts";
import { withIndex } from "./run.ts";

/** `pidex export`: writes a session, one of its branches, or the results of a search to a file. */
export async function run(io: Io, [session]: string[], flags: Flags<"export">): Promise<void> {
  const { output, leaf, all, search, images, role, sort, strict, limit } = flags;
  assertOneSource({ session, search });
  const filters = { ...toFilters(flags), role, sort, strict };
  const narrowing = { ...filters, limit };
  if (search === undefined) refuseFilters(narrowing);
  const redactor = flags.redact === false ? undefined : await loadRedactor();
  const limits = { sessions: limit };
  const format = formatOf(flags);
  if (io.isTerminal && output === undefined && format === "html") refuseTerminal(session);
  // Piped hits begin with path:line.
  const named = session === undefined ? undefined : parseReference(session).session;
  const options = { session: named, search, filters, limits, leaf, all, format, redactor };
  const exportOptions = images === undefined ? options : { ...options, images: images === "yes" };
  const work = (into: Io) =>
    withIndex(into, flags, async (index) => {
      const bar = new ProgressBar(io, "Exporting");
      // A bar would mix with an export that goes to the terminal.
      const onProgress = into.isTerminal
        ? undefined
        : (done: number, total: number) => bar.updateSessions(done, total);
      try {
        for await (const text of renderExport(index, { ...exportOptions, onProgress })) await into.out(text);
      } finally {
        bar.clear();
      }
    });
  if (output === undefined || output === "-") await work(io);
  else await redirectToFile(output, { io, replace: flags.force === true, redactor }, work);
}

/** A page is of no use on a terminal. @throws PidexError `BAD_OPTION` */
function refuseTerminal(session: string | undefined): never {
  const what =
    session === undefined
      ? "pidex export --search QUERY"
      : `pidex export ${quoteForShell(toOneLine(session))}`;
  throw new PidexError(
    "BAD_OPTION",
    "refusing to print HTML on a terminal",
    `Write it to a file: ${what} -o session.html. Or pass --format md to read it here, or -o - to print the HTML.`,
  );
}

/** Formats by the extension of the file. */
const FORMATS: Readonly<Record<string, Format>> = {
  "": "html",
  ".html": "html",
  ".htm": "html",
  ".md": "md",
  ".markdown": "md",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
};

/** @throws PidexError `BAD_OPTION` for a file with the extension of another format */
function formatOf({ format, output }: Flags<"export">): Format {
  if (format !== undefined) return format;
  const extension = extname(output ?? "").toLowerCase();
  const found = Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined;
  if (found) return found;
  const hint =
    "Formats are html, md and jsonl: use one of these extensions, or select the format with --format.";
  throw new PidexError("BAD_OPTION", `no export format for ${extension} files`, hint);
}

/** Filters apply to searches only: a named session is exported as it is. */
function refuseFilters(filters: object): void {
  const [name] = Object.entries(filters).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  const hint = "Run pidex export --search 'failing test' --since 7d.";
  throw new PidexError("BAD_OPTION", `--${name} requires --search`, hint);
}
