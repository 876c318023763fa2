import { useEffect, useRef } from "preact/hooks";
import { oneLine } from "../../../wording/safe.ts";
import type { TrashedAnswer } from "../../api/session-answers.ts";

type Deleted = TrashedAnswer["deleted"][number];

/** Where a session went that was on the page until now. */
export function Trashed({ title, gone, back }: { title: string; gone: Deleted; back: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <main class="nothing">
      <h1 ref={heading} tabIndex={-1}>
        It is in the trash
      </h1>
      <p dir="auto">{title.slice(0, 200)}</p>
      {gone.trashPath !== undefined && (
        <p class="quiet">
          Its file is <bdi class="nothing-path">{oneLine(gone.trashPath)}</bdi>
        </p>
      )}
      {gone.along.length > 0 && <p class="quiet">What its subagents wrote below its folder is there too.</p>}
      <p>
        <a href={back}>All sessions</a>
      </p>
    </main>
  );
}
