/** What is written goes out in pieces of about this size, in UTF-16 units. */
const PIECE = 64 * 1024;

/**
 * Turns what writes text into a stream. The writer goes on when what it wrote is read, and fails when its reader stops early.
 *
 * @param least how much a piece holds before it goes out; 0 for each as it is written
 * @throws what the writer throws
 */
export async function* piecesOf(
  work: (write: (text: string) => Promise<void>) => Promise<void>,
  least = PIECE,
): AsyncGenerator<string> {
  const { readable, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  let begun = "";
  const flush = async () => {
    const piece = begun;
    begun = "";
    if (piece !== "") await writer.write(piece);
  };
  const write = async (text: string) => {
    begun += text;
    if (begun.length >= least) await flush();
  };
  work(write)
    .then(flush)
    .then(
      () => writer.close(),
      (error: unknown) => writer.abort(error),
    )
    .catch(() => {}); // its reader knows
  yield* readable;
}
