import { gitFailed, startGit } from "./run-git.ts";

/** Larger blobs are treated as binary: they are not written line by line. */
const MAX_BLOB_BYTES = 8 * 1024 * 1024;

const MAX_RECENT = 32;

/** Reads blobs from one `git cat-file` process. Close it after use. */
export class BlobReader {
  readonly #recent = new Map<string, string[]>();
  readonly #child: ReturnType<typeof startGit>;
  readonly #waiting: { resolve: (blob: Buffer | undefined) => void; reject: (error: unknown) => void }[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;
  #failure: Error | undefined;
  /** Bytes that the next answer needs; undefined until its header has been read. */
  #needed: number | undefined;

  constructor(folder: string) {
    this.#child = startGit(folder, ["cat-file", "--batch"]);
    this.#child.stdin.on("error", () => {});
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      if (this.#needed === undefined || this.#bytes >= this.#needed) this.#answer();
    });
    const fail = (cause?: unknown) => {
      this.#failure ??= gitFailed("git cat-file ended early", "Run git fsck in this repository.", cause);
      for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
    };
    this.#child.on("error", fail);
    this.#child.on("close", () => fail());
  }

  /** The lines of a blob without their ends; undefined if it is missing, binary or larger than 8 MB. */
  async readLines(object: string): Promise<string[] | undefined> {
    const known = this.#recent.get(object);
    if (known) return known;
    const lines = await this.#readLines(object);
    if (!lines) return undefined;
    // What one commit leaves is what the next one changes.
    const [oldest] = this.#recent.keys();
    if (this.#recent.size >= MAX_RECENT && oldest !== undefined) this.#recent.delete(oldest);
    this.#recent.set(object, lines);
    return lines;
  }

  async #readLines(object: string): Promise<string[] | undefined> {
    const blob = await new Promise<Buffer | undefined>((resolve, reject) => {
      if (this.#failure) throw this.#failure;
      this.#waiting.push({ resolve, reject });
      this.#child.stdin.write(`${object}\n`);
    });
    return blob && toLines(blob);
  }

  #answer(): void {
    let data = Buffer.concat(this.#chunks);
    for (;;) {
      const end = data.indexOf(10);
      if (end < 0) break;
      const [, type, size] = / ([a-z]+) (\d+)$/.exec(data.toString("latin1", 0, end)) ?? [];
      // The answer to a missing object is only a header.
      const length = size === undefined ? 0 : Number(size) + 1;
      this.#needed = end + 1 + length;
      if (data.length < this.#needed) break;
      const blob = type !== "blob" ? undefined : data.subarray(end + 1, end + length);
      this.#waiting.shift()?.resolve(blob);
      data = data.subarray(this.#needed);
      this.#needed = undefined;
    }
    this.#chunks = [data];
    this.#bytes = data.length;
  }

  close(): void {
    this.#child.kill();
  }
}

/** The lines of a file without their ends; undefined if it is binary or larger than 8 MB. */
export function toLines(content: Buffer): string[] | undefined {
  if (content.length > MAX_BLOB_BYTES || content.subarray(0, 8000).includes(0)) return undefined;
  if (content.length === 0) return [];
  const text = content.toString();
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}
