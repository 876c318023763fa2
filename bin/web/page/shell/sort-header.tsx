import type { ComponentChildren } from "preact";

export type Order = "asc" | "desc";

/** The column that sorts the rows of a table. */
export interface Sorting {
  by: string;
  order: Order;
  onSort: (by: string, order: Order) => void;
}

interface Props {
  /** The key of the column. */
  by: string;
  sorting: Sorting;
  /** The order of the first click. */
  firstOrder: Order;
  class?: string | undefined;
  title?: string | undefined;
  children: ComponentChildren;
}

/** The heading of a column that sorts the rows; a second click reverses them. */
export function SortHeader({ by, sorting, firstOrder, title, children, ...props }: Props) {
  const { order, onSort } = sorting;
  const isSorted = by === sorting.by;
  const next = !isSorted ? firstOrder : order === "asc" ? "desc" : "asc";
  const state = order === "asc" ? "ascending" : "descending";
  return (
    <th scope="col" class={props.class} title={title} aria-sort={isSorted ? state : undefined}>
      <button type="button" class="sort-button" onClick={() => onSort(by, next)}>
        {children}
        <span class="sort-arrow" aria-hidden="true">
          {!isSorted ? "↕" : order === "asc" ? "↑" : "↓"}
        </span>
      </button>
    </th>
  );
}
