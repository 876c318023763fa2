import type { Context, Hono } from "hono";
import { z } from "zod";
import { type IndexQueries, PidexError } from "../../../../library/index.ts";
import { Filters, SearchOptions } from "../../../../library/schemas.ts";
import { MAX_EXPORTED_BYTES, MAX_EXPORTED_SESSIONS } from "../../../format/export-limits.ts";
import { assertOneSource, FORMATS } from "../../export/render-export.ts";
import type { Hosts } from "../../hosts/hosts.ts";
import { FlagParam, ListParam, NumberParam, optionParams, parseQuery, TextParam } from "../params.ts";

const ExportQuery = z.strictObject({
  ...optionParams(Filters),
  ...optionParams(SearchOptions.pick({ role: true, sort: true, strict: true })),
  session: ListParam.optional(),
  search: TextParam.optional(),
  whole: FlagParam.optional(),
  limit: NumberParam.optional(),
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
  const answer = async (context: Context, query: string) => {
    const params = parseQuery(ExportQuery, `http://localhost/?${query}`);
    const {
      redact,
      session: chosen,
      whole,
      limit,
      leaf,
      all,
      format,
      images,
      search: _,
      ...filters
    } = params;
    const session = chosen?.length === 1 ? chosen[0] : chosen;
    const search = params.search ?? (whole && chosen === undefined ? "" : undefined);
    assertOneSource({ session, search });
    assertCompatible(params);
    const name = typeof session === "string" ? fileName((await index.find(session)).id) : nameOf(params);
    const limits = { ...LIMITS, sessions: Math.min(limit ?? MAX_EXPORTED_SESSIONS, MAX_EXPORTED_SESSIONS) };
    const options = { session, search, whole, leaf, all, format, images, limits };
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
  };
  api.get("/export", (context) => answer(context, new URL(context.req.url).search.slice(1)));
  // Thousands of selected sessions are too long for an address.
  api.post("/export", async (context) => answer(context, await context.req.text()));
}

/** @throws PidexError `BAD_OPTION` for options that would be ignored */
function assertCompatible(params: z.output<typeof ExportQuery>): void {
  const { session, search = "", whole, leaf, all } = params;
  const refuse = (option: string, what: string) => {
    throw new PidexError("BAD_OPTION", `${option} is not possible ${what}`, "See docs/web.md for the API.");
  };
  if (whole && session !== undefined) refuse("whole", "with session");
  if (all && params.search !== undefined && !whole) refuse("all", "with search, except with whole");
  for (const name of ["role", "sort", "strict"] as const)
    if (whole && search.trim() === "" && params[name] !== undefined) refuse(name, "without search");
  if (leaf !== undefined && session?.length !== 1) refuse("leaf", "without exactly one session");
}

function nameOf({ search }: z.output<typeof ExportQuery>): string {
  return search?.trim() ? "search" : "sessions";
}

/** An id as part of a file name. */
function fileName(id: string): string {
  return id.replace(/[^\w.-]+/g, "-").slice(0, 80);
}
