/** Shown if an address matches no view: what the user may have looked for. */
import { formatShortDate } from "../../../format/times.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import { sessionUrl, toUrlName } from "./address.ts";
import { useAnswer } from "./api.ts";
import { FindSessions } from "./find-sessions.tsx";
import { MessagePage } from "./message-page.tsx";

const MAX_SESSIONS = 5;

export function NotFound() {
  // Without an error message: the search field and the link below are of use without them.
  const { data } = useAnswer("list", { limit: MAX_SESSIONS });
  return (
    <MessagePage title="Page not found">
      <FindSessions />
      {data && data.sessions.length > 0 && (
        <>
          <h2>Newest sessions</h2>
          <ul class="newest-sessions">
            {data.sessions.map((session) => (
              <li key={session.path}>
                <a href={sessionUrl(toUrlName(session))}>
                  <bdi>{getSessionTitle(session).slice(0, 200)}</bdi>
                </a>
                <time dateTime={session.modified}>{formatShortDate(new Date(session.modified))}</time>
              </li>
            ))}
          </ul>
        </>
      )}
      <p>
        <a href="/">All sessions</a>
      </p>
    </MessagePage>
  );
}
