/** The metadata of the displayed session. */
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../shell/api.ts";

/** Requested again whenever the session changes, and when an agent has stopped writing to it. */
export function useSessionAnswer(session: string, version: number) {
  const [idleChecks, setIdleChecks] = useState(0);
  const { data, error } = useAnswer("session", { session }, `${version} ${idleChecks}`);
  const sinceWritten = data?.secondsSinceWritten;
  useEffect(() => {
    if (sinceWritten === undefined) return undefined;
    // A minute without writes ends the "running" state, and no change event reports that.
    const timer = setTimeout(() => setIdleChecks((count) => count + 1), (61 - sinceWritten) * 1000);
    return () => clearTimeout(timer);
  }, [data, sinceWritten]);
  return { about: data, error, isLive: sinceWritten !== undefined };
}
