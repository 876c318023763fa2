import type { ComponentChildren } from "preact";

interface Props {
  /** Read out, but not shown. */
  caption: string;
  columns: readonly { name: string; isNumber: boolean }[];
  /** The body, and the foot if there is one. */
  children: ComponentChildren;
}

/** A table of figures with a heading for each column. */
export function NumbersTable({ caption, columns, children }: Props) {
  return (
    <table class="numbers">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" class={isNumber ? "number" : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  );
}
