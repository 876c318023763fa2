import type { ComponentChildren } from "preact";
import { SortHeader, type Sorting } from "./sort-header.tsx";

interface Props {
  /** Read out, but not shown. */
  caption: string;
  columns: readonly NumbersColumn[];
  /** Undefined if the order of the rows has a meaning. */
  sorting?: Sorting;
  /** The body, and the foot if there is one. */
  children: ComponentChildren;
}

export interface NumbersColumn {
  /** Also its key in `sorting`. */
  name: string;
  isNumber: boolean;
  /** What its figures mean. */
  hint?: string | undefined;
}

/** A table of figures with a heading for each column. */
export function NumbersTable({ caption, columns, sorting, children }: Props) {
  return (
    <table class="numbers">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, isNumber, hint }) => {
            const look = isNumber ? "number" : undefined;
            return sorting ? (
              <SortHeader
                key={name}
                by={name}
                class={look}
                title={hint}
                firstOrder={isNumber ? "desc" : "asc"}
                {...{ sorting }}
              >
                {name}
              </SortHeader>
            ) : (
              <th key={name} scope="col" class={look} title={hint}>
                {name}
              </th>
            );
          })}
        </tr>
      </thead>
      {children}
    </table>
  );
}
