/** The headings of the columns that a wide list has. */

interface Props {
  /** The current value of `sort`. */
  sort: string;
  /** The orders that the list can have. */
  sorts: Readonly<Record<string, string>>;
  /** Whether costs are those of a range of days. */
  isDated: boolean;
  onSort: (sort: string) => void;
}

/** The columns, and the values of `sort` that a click goes through. */
const COLUMNS: readonly {
  name: string;
  area: string;
  sorts: readonly (readonly [sort: string, arrow: string])[];
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

/** Sorts by a column at a click. It repeats the menu of orders, so it is hidden from screen readers and Tab. */
export function ListHeader({ sort, sorts, isDated, onSort }: Props) {
  return (
    <div class="list-header" aria-hidden="true">
      {COLUMNS.map((column) => {
        // Results by relevance have no column for it.
        const orders = column.sorts.filter(
          ([each]) => sorts[each] !== undefined && sorts[each] !== "Relevance",
        );
        const at = orders.findIndex(([each]) => each === sort);
        const next = orders[(at + 1) % orders.length]?.[0];
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
            title={sorts[next] === sorts[sort] ? undefined : `Sort: ${sorts[next]}`}
            onClick={() => onSort(next === sort ? "" : next)}
          >
            {nameOf(column, isDated)}
            <span class="sort-arrow">{orders[at]?.[1] ?? ""}</span>
          </button>
        );
      })}
    </div>
  );
}

function nameOf({ name, area }: (typeof COLUMNS)[number], isDated: boolean): string {
  return area === "cost" && isDated ? "Range cost" : name;
}
