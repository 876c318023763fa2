import { Fragment } from "preact";
import { toOneLine } from "../../../format/safe.ts";
import { useAnswer } from "./api.ts";

interface Props {
  q: string;
  /** One of the nearest values was chosen; the query has it in place of the other. */
  onChoose: (near: { filter: string; value: string; query: string }) => void;
}

/** Says which values no session has, such as a part of a project's name, and offers the nearest ones. */
export function UnmatchedValues({ q, onChoose }: Props) {
  const { data } = useAnswer(q.includes(":") ? "unmatched" : undefined, { query: q });
  return data?.values.map(({ filter, value, instead }) => (
    <p key={`${filter}:${value}`} class="quiet">
      No session has the {filter} “<bdi>{toOneLine(value)}</bdi>”.
      {instead.length > 0 && " Did you mean "}
      {instead.map((near, n) => (
        <Fragment key={near.value}>
          {n > 0 && (n === instead.length - 1 ? " or " : ", ")}
          <button type="button" class="link" onClick={() => onChoose({ filter, ...near })}>
            <bdi>{toOneLine(near.value)}</bdi>
          </button>
        </Fragment>
      ))}
      {instead.length > 0 && "?"}
    </p>
  ));
}
