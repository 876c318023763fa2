/** Approximate size of a chunk, in UTF-16 units. */
const CHUNK_UNITS = 64 * 1024;

/**
 * Turns a function that writes text into a stream. Each write waits until the reader has taken it, and fails if the reader stops
 * early.
 *
 * @param minUnits minimum size of a chunk; 0 sends every write at once
 * @throws the errors of `work`
 */
export async function* streamText(
  work: (write: (text: string) => Promise<void>) => Promise<void>,
  minUnits = CHUNK_UNITS,
): AsyncGenerator<string> {
  const { readable, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  let buffer = "";
  const flush = async () => {
    const chunk = buffer;
    buffer = "";
    if (chunk !== "") await writer.write(chunk);
  };
  const write = async (text: string) => {
    buffer += text;
    if (buffer.length >= minUnits) await flush();
  };
  work(write)
    .then(flush)
    .then(
      () => writer.close(),
      (error: unknown) => writer.abort(error),
    )
    .catch(() => {}); // reported to the reader
  yield* readable;
}
