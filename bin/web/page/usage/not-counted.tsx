import { formatCount } from "../../../format/safe.ts";
import { useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { hub } from "../shell/source.ts";
import type { UsageState } from "./usage-state.ts";
import { startOfDay } from "./zone-days.ts";

/** Says how many sessions of the range are in the trash: their usage is in no figure. Their cost is unknown: forks may count a part of it. */
export function NotCounted({ choice: { since, until, session, timeZone } }: { choice: UsageState }) {
  const isKnown = hub.value === undefined && session === "";
  const { data } = useAnswer(isKnown ? "trashed" : undefined, {}, useVersion());
  const trashed = (isKnown && data ? data.trashed : []).filter(
    ({ created, modified }) =>
      (since === undefined || Date.parse(modified) >= startOfDay(timeZone, since)) &&
      (until === undefined || Date.parse(created ?? modified) < startOfDay(timeZone, until)),
  );
  if (trashed.length === 0) return null;
  return (
    <p class="quiet not-counted">
      Not counted: {formatCount(trashed.length, "session")} of this range in <a href="/trash">the trash</a>.
    </p>
  );
}
