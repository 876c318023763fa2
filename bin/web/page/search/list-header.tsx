/** The headings of the columns that a wide list has. */
import { getReversedSort } from "./search-state.ts";

interface Props {
  /** The current value of `sort`. */
  sort: string;
  /** The orders that the list can have. */
  sorts: Readonly<Record<string, string>>;
  /** Whether costs are those of a range of days. */
  isDated: boolean;
  onSort: (sort: string) => void;
}

/** The columns, and the values of `sort` that clicks go through, each with an arrow, and that of its reverse. */
const COLUMNS: readonly {
  name: string;
  area: string;
  sorts: readonly (readonly [sort: string, arrow: "↑" | "↓"])[];
}[] = [
  { name: "Title", area: "title", sorts: [["name", "↑"]] },
  { name: "Project", area: "project", sorts: [] },
  { name: "Model", area: "model", sorts: [] },
  { name: "Messages", area: "messages", sorts: [["messages", "↓"]] },
  {
    name: "Cost",
    area: "cost",
    sorts: [
      ["range", "↓"],
      ["cost", "↓"],
    ],
  },
  {
    name: "Updated",
    area: "age",
    sorts: [
      ["", "↓"],
      ["oldest", "↑"],
    ],
  },
];

interface ColumnSort {
  sort: string;
  arrow: "↑" | "↓";
  name: string;
}

/** The orders that clicks on a column go through, of those that the results can have. */
function listColumnSorts(
  { sorts }: (typeof COLUMNS)[number],
  available: Props["sorts"],
): readonly ColumnSort[] {
  const main = sorts.flatMap(([sort, arrow]): ColumnSort[] => {
    const name = available[sort];
    // Results by relevance have no column for it.
    return name === undefined || name === "Relevance" ? [] : [{ sort, arrow, name }];
  });
  const [only, other] = main;
  const reversed = only && !other && getReversedSort(only.sort, available);
  if (!reversed) return main;
  const [sort, name] = reversed;
  return [only, { sort, name, arrow: only.arrow === "↑" ? "↓" : "↑" }];
}

/** Sorts by a column at a click, and the other way at a second one. It is hidden from screen readers and Tab, which have the menu of orders. */
export function ListHeader({ sort, sorts, isDated, onSort }: Props) {
  return (
    <div class="list-header" aria-hidden="true">
      {COLUMNS.map((column) => {
        const orders = listColumnSorts(column, sorts);
        const at = orders.findIndex((order) => order.sort === sort);
        const next = orders[(at + 1) % orders.length];
        return next === undefined ? (
          <span key={column.area} class={`list-header-${column.area}`}>
            {nameOf(column, isDated)}
          </span>
        ) : (
          <button
            key={column.area}
            type="button"
            tabIndex={-1}
            class={`list-header-${column.area}${at < 0 ? "" : " list-header-sorted"}`}
            title={next.sort === sort ? undefined : `Sort: ${next.name}`}
            onClick={() => onSort(next.sort === sort ? "" : next.sort)}
          >
            {nameOf(column, isDated)}
            <span class="sort-arrow">{orders[at]?.arrow ?? ""}</span>
          </button>
        );
      })}
    </div>
  );
}

function nameOf({ name, area }: (typeof COLUMNS)[number], isDated: boolean): string {
  return area === "cost" && isDated ? "Range cost" : name;
}
