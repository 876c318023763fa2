import { useEffect, useRef, useState } from "preact/hooks";
import { toOneLine } from "../../../format/safe.ts";
import type { Answers } from "../../api/answers.ts";
import { ErrorMessage } from "../shell/error-message.tsx";

interface Props {
  title: string;
  gone: Answers["trash"]["deleted"][number];
  back: string;
  /** Restores the session. @returns the error, if it failed */
  onUndo: () => Promise<unknown>;
}

/** Shown after a session is moved to trash. */
export function TrashedSession({ title, gone, back, onUndo }: Props) {
  const [error, setError] = useState<unknown>();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <main class="nothing">
      <h1 ref={heading} tabIndex={-1}>
        Moved to trash
      </h1>
      <p dir="auto">{title.slice(0, 200)}</p>
      {gone.trashPath !== undefined && (
        <p class="quiet">
          File: <bdi class="nothing-path">{toOneLine(gone.trashPath)}</bdi>
        </p>
      )}
      {gone.along.length > 0 && <p class="quiet">Subagent sessions in its folder were moved too.</p>}
      {error !== undefined && <ErrorMessage error={error} />}
      {gone.isRestorable ? (
        <p>
          <button type="button" class="button" onClick={() => void onUndo().then(setError)}>
            Undo
          </button>
        </p>
      ) : (
        <p class="quiet">To restore it, use your desktop’s trash.</p>
      )}
      <p>
        <a href={back}>All sessions</a>
        {gone.isRestorable && (
          <>
            {" · "}
            <a href="/trash">Trash</a>
          </>
        )}
      </p>
    </main>
  );
}
