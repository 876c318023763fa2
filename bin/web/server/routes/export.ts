import type { Hono } from "hono";
import { z } from "zod";
import type { IndexQueries } from "../../../../library/index.ts";
import { Filters, SearchOptions } from "../../../../library/schemas.ts";
import { MAX_EXPORTED_BYTES, MAX_EXPORTED_SESSIONS } from "../../../format/export-limits.ts";
import { assertOneSource, FORMATS } from "../../export/render-export.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import { FlagParam, optionParams, parseQuery, TextParam } from "../params.ts";

const ExportQuery = z.strictObject({
  ...optionParams(Filters),
  ...optionParams(SearchOptions.pick({ role: true, sort: true, strict: true })),
  session: TextParam.optional(),
  search: TextParam.optional(),
  leaf: TextParam.optional(),
  all: FlagParam.optional(),
  images: FlagParam.optional(),
  format: z.enum(FORMATS).default("html"),
  redact: FlagParam.default(true),
});

const TYPES = {
  html: "text/html; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  jsonl: "application/x-ndjson; charset=utf-8",
};

/** Exports from the page are limited; the command line exports any size. */
const LIMITS = { sessions: MAX_EXPORTED_SESSIONS, bytes: MAX_EXPORTED_BYTES };

/** `/api/export`: the output of `pidex export` as a download. Written in a thread, as fast as it is read. */
export function addExportRoutes(api: Hono, index: IndexQueries, { streams }: Hosts): void {
  api.get("/export", async (context) => {
    const { redact, session, search, leaf, all, format, images, ...filters } = parseQuery(
      ExportQuery,
      context.req.url,
    );
    assertOneSource({ session, search });
    const name = session === undefined ? "search" : fileName((await index.find(session)).id);
    const options = { session, search, leaf, all, format, images, limits: LIMITS };
    const { signal } = context.req.raw;
    const found = { ...filters, sync: false }; // another thread keeps the index up to date
    const body = await streams.open(
      "export",
      (host) => host.stream("export", { ...options, filters: found, redact }),
      signal,
    );
    context.header("Content-Type", TYPES[format]);
    context.header("Content-Disposition", `attachment; filename="pidex-${name}.${format}"`);
    return context.body(body);
  });
}

/** An id as part of a file name. */
function fileName(id: string): string {
  return id.replace(/[^\w.-]+/g, "-").slice(0, 80);
}
