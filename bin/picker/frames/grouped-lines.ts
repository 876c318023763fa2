/** Lines of items below the headings of their groups. */

/** A heading, or an item with its index. */
export type GroupedLine<Item> = { heading: string } | { item: Item; index: number };

/**
 * The lines that fit, centered on the selected item.
 *
 * @param getGroup the group of an item, whose heading is above its first item; undefined for none
 */
export function getVisibleLines<Item>(
  items: readonly Item[],
  position: { selected: number; rows: number },
  getGroup: (item: Item) => string | undefined,
): GroupedLine<Item>[] {
  return getVisiblePart(items, position, getGroup).lines;
}

/** As `getVisibleLines`, with the number of lines above them and of all lines. */
export function getVisiblePart<Item>(
  items: readonly Item[],
  { selected, rows }: { selected: number; rows: number },
  getGroup: (item: Item) => string | undefined,
): { lines: GroupedLine<Item>[]; top: number; total: number } {
  const all = items.flatMap((item, index): GroupedLine<Item>[] => {
    const heading = getGroup(item);
    const before = items[index - 1];
    const isSame = heading === undefined || (before !== undefined && getGroup(before) === heading);
    return isSame ? [{ item, index }] : [{ heading }, { item, index }];
  });
  const at = all.findIndex((line) => "index" in line && line.index === selected);
  const top = Math.max(0, Math.min(at - Math.floor(rows / 2), all.length - rows));
  return { lines: all.slice(top, top + rows), top, total: all.length };
}

/** Index of the item on a line; undefined for headings and below the last item. */
export function getItemIndex<Item>(line: GroupedLine<Item> | undefined): number | undefined {
  return line && "index" in line ? line.index : undefined;
}
