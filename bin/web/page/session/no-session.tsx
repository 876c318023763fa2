import { formatCount, toOneLine } from "../../../format/safe.ts";
import { formatRelativeTime } from "../../../format/times.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import { sessionUrl } from "../shell/address.ts";
import { ApiError, useAnswer } from "../shell/api.ts";
import { FindSessions } from "../shell/find-sessions.tsx";
import { LoadError } from "../shell/load-error.tsx";
import { MessagePage } from "../shell/message-page.tsx";
import { hub } from "../shell/source.ts";

/** Shown if an address matches no session, or more than one. */
export function NoSession({ session, error }: { session: string; error: unknown }) {
  const isAmbiguous = error instanceof ApiError && error.code === "AMBIGUOUS";
  const { data } = useAnswer(isAmbiguous ? "candidates" : undefined, { session });
  if (!isAmbiguous) {
    const isUnknown = error instanceof ApiError && error.code === "NOT_FOUND";
    return (
      <MessagePage title={isUnknown ? "Session not found" : "The session could not be loaded"}>
        {isUnknown ? (
          <>
            <p>
              No session is named <bdi>{toOneLine(session.slice(0, 200))}</bdi>. It may have been deleted or
              moved, or the address is incomplete.
            </p>
            <FindSessions />
            <p>
              <a href="/">All sessions</a>
            </p>
            {hub.value === undefined && (
              <p>
                <a href="/trash">Deleted sessions in the trash</a>
              </p>
            )}
          </>
        ) : (
          <>
            <LoadError error={error} />
            <p>
              <a href="/">All sessions</a>
            </p>
          </>
        )}
      </MessagePage>
    );
  }
  return (
    <MessagePage title="Several sessions match">
      <ul class="candidates">
        {data?.sessions.map((candidate) => (
          <li key={candidate.path} class="card">
            <a href={sessionUrl(candidate.path)}>
              <bdi>{getSessionTitle(candidate)}</bdi>
            </a>
            <p class="quiet">
              {formatCount(candidate.messageCount, "message")} ·{" "}
              {formatRelativeTime(new Date(candidate.modified))}
            </p>
            <p class="quiet">
              <bdi>{toOneLine(candidate.path)}</bdi>
            </p>
          </li>
        ))}
      </ul>
    </MessagePage>
  );
}
