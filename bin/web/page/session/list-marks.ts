/** The highlighted texts of an entry, in its row of the transcript. */

/**
 * The matches of the entry at a line, in order. Its row also has the results of its calls, which are entries of their own.
 *
 * @param rowLine the line of the row's first entry
 */
export function listMarks(row: Element, line: number, rowLine: number): HTMLElement[] {
  const lineOf = (mark: Element) => Number(mark.closest<HTMLElement>("[data-line]")?.dataset.line ?? rowLine);
  /** Whether a mark is in the summary of an open call. Its arguments contain it, too: the summary may be cut off. */
  const isRepeated = (mark: Element) => {
    const call = mark.closest(".call-summary")?.closest(".call");
    const inside = call?.querySelectorAll(":scope > .call-inside mark") ?? [];
    return [...inside].some((each) => lineOf(each) === line);
  };
  return [...row.querySelectorAll("mark")].filter(
    (mark) => lineOf(mark) === line && !mark.closest(".subagent") && !isRepeated(mark),
  );
}
