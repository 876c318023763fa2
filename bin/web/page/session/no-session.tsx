import { counted, oneLine } from "../../../format/safe.ts";
import { ago } from "../../../format/times.ts";
import { titleOf } from "../../../format/titles.ts";
import type { CandidatesAnswer } from "../../api/session-answers.ts";
import { sessionAddress } from "../shell/address.ts";
import { AskError, useAnswer } from "../shell/ask.ts";
import { Nothing } from "../shell/nothing.tsx";

/** Shown if an address matches no session, or more than one. */
export function NoSession({ session, error }: { session: string; error: unknown }) {
  const isAmbiguous = error instanceof AskError && error.code === "AMBIGUOUS";
  const { data } = useAnswer<CandidatesAnswer>(isAmbiguous ? "candidates" : undefined, { session });
  if (!isAmbiguous) return <Nothing title="Session not found" error={error} />;
  return (
    <Nothing title="Several sessions match">
      <ul class="candidates">
        {data?.sessions.map((candidate) => (
          <li key={candidate.path} class="card">
            <a href={sessionAddress(candidate.path)}>
              <bdi>{titleOf(candidate)}</bdi>
            </a>
            <p class="quiet">
              {counted(candidate.messageCount, "message")} · {ago(new Date(candidate.modified))}
            </p>
            <p class="quiet">
              <bdi>{oneLine(candidate.path)}</bdi>
            </p>
          </li>
        ))}
      </ul>
    </Nothing>
  );
}
