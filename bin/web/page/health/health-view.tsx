import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import "../design/numbers.css";
import { useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { LoadError } from "../shell/load-error.tsx";
import { DiagnosisDetails } from "./diagnosis-details.tsx";
import { Findings } from "./findings.tsx";
import "./health.css";
import { Problems } from "./problems.tsx";

/** Minimum time between automatic runs of doctor, which reads through the database. */
const DOCTOR_INTERVAL_MS = 60_000;

/** Sessions with problems, which their files lead to. */
const BROKEN_SESSIONS = { problems: true, archived: "yes", subagents: "yes", limit: 1000 };

/** The findings of doctor, and the problems in session files. */
export function HealthView() {
  const version = useVersion();
  useEffect(() => {
    document.title = "Health · pidex";
  }, []);
  const [reloads, setReloads] = useState(0);
  const doctorVersion = useThrottled(DOCTOR_INTERVAL_MS, version);
  const doctor = useAnswer("doctor", {}, `${doctorVersion} ${reloads}`);
  const problems = useAnswer("problems", {}, version);
  const broken = useAnswer("list", BROKEN_SESSIONS, version);
  const sessions = useMemo(
    () => new Map(broken.data?.sessions.map((session) => [session.path, session])),
    [broken.data],
  );
  const diagnosis = doctor.data?.diagnosis;
  return (
    <main class="health" aria-busy={doctor.isLoading || problems.isLoading}>
      <div class="health-head">
        <h1>Health</h1>
        <button
          type="button"
          class="button"
          disabled={doctor.isLoading}
          onClick={() => setReloads((before) => before + 1)}
        >
          Check again
        </button>
      </div>
      {doctor.error !== undefined && <LoadError error={doctor.error} />}
      {diagnosis ? <Findings findings={diagnosis.findings} /> : <p class="quiet">Checking …</p>}
      {diagnosis && <DiagnosisDetails diagnosis={diagnosis} />}
      {problems.error !== undefined && <LoadError error={problems.error} />}
      {problems.data && (diagnosis || doctor.error !== undefined) && (
        <Problems problems={problems.data.problems} sessions={sessions} />
      )}
    </main>
  );
}

/** Throttles a value: it changes at most once per interval, and always ends at the latest value. */
function useThrottled<T>(milliseconds: number, value: T): T {
  const [throttled, setThrottled] = useState(value);
  const changedAt = useRef(performance.now());
  useEffect(() => {
    if (throttled === value) return undefined;
    const wait = changedAt.current + milliseconds - performance.now();
    const timer = setTimeout(() => {
      changedAt.current = performance.now();
      setThrottled(value);
    }, wait);
    return () => clearTimeout(timer);
  }, [milliseconds, value, throttled]);
  return throttled;
}
