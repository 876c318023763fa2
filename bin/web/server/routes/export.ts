import { Hono } from "hono";
import { z } from "zod";
import { type Index, loadRedactor } from "../../../../index.ts";
import { FORMATS, writeExport } from "../../export/write-export.ts";
import { AskedFlag, AskedText, asked } from "../asked.ts";

const Exported = z.strictObject({
  session: AskedText.optional(),
  search: AskedText.optional(),
  leaf: AskedText.optional(),
  all: AskedFlag.optional(),
  format: z.enum(FORMATS).default("html"),
  images: AskedFlag.optional(),
  redact: AskedFlag.default(true),
});

const TYPES = {
  html: "text/html; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  jsonl: "application/x-ndjson; charset=utf-8",
};

/** `/api/export`: what `pidex export` writes, to be kept as a file. */
export function exportRoutes(index: Index): Hono {
  return new Hono().get("/export", async (context) => {
    const { redact, ...options } = asked(Exported, context.req.url);
    const { format, session } = options;
    const name = session === undefined ? "search" : fileName((await index.find(session)).id);
    const redactor = redact ? await loadRedactor() : undefined;
    const body = await begun((out) => writeExport(index, { ...options, redactor }, out));
    context.header("Content-Type", TYPES[format]);
    context.header("Content-Disposition", `attachment; filename="pidex-${name}.${format}"`);
    return context.body(body.pipeThrough(new TextEncoderStream()));
  });
}

/**
 * What is written piece by piece as a stream, once the first piece is there: until then what fails can be told as an error.
 * Each piece waits for who reads; who reads no more ends it.
 *
 * @throws what the writing throws before its first piece
 */
async function begun(
  write: (out: (text: string) => Promise<void>) => Promise<void>,
): Promise<ReadableStream<string>> {
  const { readable, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  const writing = write((text) => writer.write(text)).then(
    () => writer.close(),
    async (error: unknown) => {
      await writer.abort(error);
      throw error;
    },
  );
  writing.catch(() => {}); // told below, or to who reads
  const reader = readable.getReader();
  let first: ReadableStreamReadResult<string> | undefined = await reader.read();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = first ?? (await reader.read());
      first = undefined;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** An id as part of a file's name. */
function fileName(id: string): string {
  return id.replace(/[^\w.-]+/g, "-").slice(0, 80);
}
