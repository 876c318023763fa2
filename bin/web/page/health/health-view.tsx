import { useState } from "preact/hooks";
import type { DoctorAnswer, ProblemsAnswer } from "../../api/answers.ts";
import "../design/numbers.css";
import { useAnswer } from "../shell/ask.ts";
import { useVersion } from "../shell/changes.ts";
import { Trouble } from "../shell/trouble.tsx";
import { Facts } from "./facts.tsx";
import { Findings } from "./findings.tsx";
import "./health.css";
import { useAtMostEvery } from "./at-most-every.ts";
import { Problems } from "./problems.tsx";

/** Doctor reads through the database: so often at the most it is asked again by itself, in milliseconds. */
const LOOK_AGAIN_MS = 60_000;

/** How pidex is: what doctor says, and what is wrong in files. */
export function HealthView() {
  const version = useVersion();
  const [times, setTimes] = useState(0);
  const seldom = useAtMostEvery(LOOK_AGAIN_MS, version);
  const doctor = useAnswer<DoctorAnswer>("doctor", {}, `${seldom} ${times}`);
  const problems = useAnswer<ProblemsAnswer>("problems", {}, version);
  const diagnosis = doctor.data?.diagnosis;
  return (
    <main class="health" aria-busy={doctor.isWaiting || problems.isWaiting}>
      <div class="health-head">
        <h1>Health</h1>
        <button
          type="button"
          class="button"
          disabled={doctor.isWaiting}
          onClick={() => setTimes((before) => before + 1)}
        >
          Look again
        </button>
      </div>
      {doctor.error !== undefined && <Trouble error={doctor.error} />}
      {diagnosis ? <Findings findings={diagnosis.findings} /> : <p class="quiet">Looking …</p>}
      {diagnosis && <Facts diagnosis={diagnosis} />}
      {problems.error !== undefined && <Trouble error={problems.error} />}
      {problems.data && <Problems problems={problems.data.problems} version={version} />}
    </main>
  );
}
