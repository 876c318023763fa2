import { useState } from "preact/hooks";
import { formatBytes } from "../../../format/bytes.ts";
import { formatInteger, toOneLine } from "../../../format/safe.ts";
import type { Answers } from "../../api/answers.ts";
import { NumbersTable } from "../shell/numbers-table.tsx";
import type { Order } from "../shell/sort-header.tsx";
import { TableScroll } from "../shell/table-scroll.tsx";

type Root = Answers["doctor"]["diagnosis"]["roots"][number];

const VALUES = new Map<string, (root: Root) => string | number>([
  ["Folder", ({ path }) => path],
  ["State", getState],
  ["Files", ({ files }) => files],
  ["Size", ({ bytes }) => bytes],
  ["Agent, source", getSource],
]);
const COLUMNS = [...VALUES.keys()].map((name) => ({ name, isNumber: name === "Files" || name === "Size" }));

/** The folders with sessions. Each column sorts them. */
export function RootTable({ roots }: { roots: readonly Root[] }) {
  const [sort, setSort] = useState<{ by: string; order: Order }>({ by: "", order: "asc" });
  const getValue = VALUES.get(sort.by);
  const sorted = getValue
    ? roots.toSorted((a, b) => (sort.order === "asc" ? 1 : -1) * compare(getValue(a), getValue(b)))
    : roots;
  const sum = (getNumber: (root: Root) => number) => roots.reduce((all, root) => all + getNumber(root), 0);
  return (
    <TableScroll label="Session folders">
      <NumbersTable
        caption="Session folders"
        columns={COLUMNS}
        sorting={{ ...sort, onSort: (by, order) => setSort({ by, order }) }}
      >
        <tbody>
          {sorted.map((root) => (
            <tr key={root.path}>
              <th scope="row" class="path">
                <bdi>{toOneLine(root.path)}</bdi>
              </th>
              <td>{getState(root)}</td>
              <td class="number">{formatInteger(root.files)}</td>
              <td class="number">{formatBytes(root.bytes)}</td>
              <td>{getSource(root)}</td>
            </tr>
          ))}
        </tbody>
        {roots.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row" colSpan={2}>
                Total
              </th>
              <td class="number">{formatInteger(sum(({ files }) => files))}</td>
              <td class="number">{formatBytes(sum(({ bytes }) => bytes))}</td>
              <td />
            </tr>
          </tfoot>
        )}
      </NumbersTable>
    </TableScroll>
  );
}

function getState({ state, files }: Root): string {
  if (state !== "folder") return state;
  return files === 0 ? "empty" : "OK";
}

/** Where a folder is named, in words. Other sources are variables and settings files. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ["option", "named by --root"],
  ["default", "default folder"],
  ["found", "found in the home folder"],
]);

function getSource({ agent, from }: Root): string {
  return [agent, SOURCES.get(from) ?? from].filter(Boolean).join(", ");
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
}
