/** Entries of a session as they are drawn, as far as somebody looked at them. */
import type { Asker } from "./asker.ts";
import type { ShownSession } from "./model/view.ts";

/** Who is told of what. */
interface Told {
  /** There is more to show. */
  changed: () => void;
  failed: (session: ShownSession, error: unknown) => void;
}

export class DrawnEntries {
  readonly #asker: Asker;
  readonly #told: Told;
  #session: ShownSession | undefined;
  #width = 0;
  #unfolded = false;
  /** Entries that are drawn whole while others are folded. */
  readonly #opened = new Set<number>();
  /** By line in the file. */
  readonly #texts = new Map<number, string[]>();
  #isDrawing = false;

  constructor(asker: Asker, told: Told) {
    this.#asker = asker;
    this.#told = told;
  }

  /** Whether calls, output and thinking are drawn whole. */
  get unfolded(): boolean {
    return this.#unfolded;
  }

  /** The lines of the entry on a line of the file; undefined while it is not drawn. */
  textOf(line: number): string[] | undefined {
    return this.#texts.get(line);
  }

  /** Those of another session. */
  begin(session: ShownSession): void {
    this.#session = session;
    this.#opened.clear();
    this.forget();
  }

  /** What is drawn may be old. */
  forget(): void {
    this.#texts.clear();
  }

  /** In so many columns. */
  fit(width: number): void {
    if (width === this.#width) return;
    this.#width = width;
    this.forget();
  }

  /** Folds all, or unfolds all. */
  unfold(): void {
    this.#unfolded = !this.#unfolded;
    this.#opened.clear();
    this.forget();
  }

  /** Has one entry drawn whole. @returns false where it is already */
  open(line: number): boolean {
    if (this.#unfolded || this.#opened.has(line)) return false;
    this.#opened.add(line);
    this.#texts.delete(line);
    return true;
  }

  /** Has those drawn that are not. One question at a time: what is still missing then is asked for again. */
  want(session: ShownSession, lines: readonly number[]): void {
    const missing = lines.filter((line) => !this.#texts.has(line));
    if (missing.length > 0 && !this.#isDrawing) void this.#draw(session, missing);
  }

  async #draw(session: ShownSession, lines: number[]): Promise<void> {
    this.#isDrawing = true;
    const [width, unfolded] = [this.#width, this.#unfolded];
    const ask = async (some: number[], look: { width: number; unfolded: boolean }) =>
      some.length === 0 ? [] : this.#asker.call("entries", { path: session.path, lines: some, look });
    const [opened, folded] = [true, false].map((isOpen) =>
      lines.filter((line) => this.#opened.has(line) === isOpen),
    );
    try {
      const drawn = [
        ...(await ask(folded ?? [], { width, unfolded })),
        ...(await ask(opened ?? [], { width, unfolded: true })),
      ];
      if (this.#session !== session || width !== this.#width || unfolded !== this.#unfolded) return;
      for (const line of lines) this.#texts.set(line, []); // what is gone says nothing
      for (const { line, text } of drawn) this.#texts.set(line, text);
    } catch (error) {
      this.#told.failed(session, error);
    } finally {
      this.#isDrawing = false;
      this.#told.changed();
    }
  }
}
