import { counted, oneLine } from "../../../format/safe.ts";
import { ago } from "../../../format/times.ts";
import { titleOf } from "../../../format/titles.ts";
import type { CandidatesAnswer } from "../../api/session-answers.ts";
import { sessionAddress } from "../shell/address.ts";
import { AskError, useAnswer } from "../shell/ask.ts";
import { Nothing } from "../shell/nothing.tsx";

/** Where an address means no session, or more than one. */
export function NoSession({ session, error }: { session: string; error: unknown }) {
  const isAmbiguous = error instanceof AskError && error.code === "AMBIGUOUS";
  const { data } = useAnswer<CandidatesAnswer>(isAmbiguous ? "candidates" : undefined, { session });
  if (!isAmbiguous) return <Nothing title="No such session" error={error} />;
  return (
    <Nothing title="More than one session is called that">
      <ul class="candidates">
        {data?.sessions.map((one) => (
          <li key={one.path} class="card">
            <a href={sessionAddress(one.path)}>
              <bdi>{titleOf(one)}</bdi>
            </a>
            <p class="quiet">
              {counted(one.messageCount, "message")} · {ago(new Date(one.modified))}
            </p>
            <p class="quiet">
              <bdi>{oneLine(one.path)}</bdi>
            </p>
          </li>
        ))}
      </ul>
    </Nothing>
  );
}
