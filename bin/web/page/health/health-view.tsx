import type { DoctorAnswer, ProblemsAnswer } from "../../api/answers.ts";
import "../design/numbers.css";
import { useAnswer } from "../shell/ask.ts";
import { useVersion } from "../shell/changes.ts";
import { Trouble } from "../shell/trouble.tsx";
import { Facts } from "./facts.tsx";
import { Findings } from "./findings.tsx";
import "./health.css";
import { Problems } from "./problems.tsx";

/** How pidex is: what doctor says, and what is wrong in files. */
export function HealthView() {
  const version = useVersion();
  const doctor = useAnswer<DoctorAnswer>("doctor", {}, version);
  const problems = useAnswer<ProblemsAnswer>("problems", {}, version);
  const diagnosis = doctor.data?.diagnosis;
  return (
    <main class="health" aria-busy={doctor.isWaiting || problems.isWaiting}>
      <h1>Health</h1>
      {doctor.error !== undefined && <Trouble error={doctor.error} />}
      {diagnosis ? <Findings findings={diagnosis.findings} /> : <p class="quiet">Looking …</p>}
      {diagnosis && <Facts diagnosis={diagnosis} />}
      {problems.error !== undefined && <Trouble error={problems.error} />}
      {problems.data && <Problems problems={problems.data.problems} version={version} />}
    </main>
  );
}
