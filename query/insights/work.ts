import { toDollars } from "../usage/figures.ts";
import type { Call, Collected, PeriodData, Response } from "./collect.ts";
import type { ModelWork, ProjectWork, TASKS } from "./insight-answers.ts";
import { isChanging, isShell } from "./tools.ts";
import type { UndoneEdit } from "./undone-edits.ts";

type Work = ProjectWork["before"];

/** Calls that changed a file: they did not fail, and neither were undone nor undid another. */
export function findAcceptedChanges(data: PeriodData, undone: readonly UndoneEdit[]): Set<Call> {
  const reverted = new Set(undone.flatMap(({ edit, undoneBy }) => [edit, ...undoneBy]));
  const calls = data.responses.flatMap(({ calls }) => calls);
  return new Set(calls.filter((call) => call.failed === 0 && isChanging(call.tool) && !reverted.has(call)));
}

/** What models did, by what the session did, the costliest first. */
export function sumByModel(data: PeriodData, accepted: ReadonlySet<Call>): ModelWork[] {
  const tasks = new Map(
    [...Map.groupBy(data.responses, ({ file }) => file)].map(([file, responses]) => [
      file,
      toTask(responses),
    ]),
  );
  const groups = Map.groupBy(data.responses, ({ file, model }) => `${tasks.get(file)}\0${model}`);
  return [...groups.values()]
    .map((group) => {
      const { file, model } = group[0] as Response;
      return { task: tasks.get(file) ?? "talk", model, ...toWork(group, accepted) };
    })
    .sort((a, b) => b.costUsd - a.costUsd || b.responses - a.responses);
}

function toTask(responses: readonly Response[]): (typeof TASKS)[number] {
  const tools = [...new Set(responses.flatMap(({ calls }) => calls.map(({ tool }) => tool)))];
  if (tools.some(isChanging)) return "changes";
  if (tools.some(isShell)) return "commands";
  return tools.length > 0 ? "reading" : "talk";
}

/** What was done in each working directory, the costliest first. */
export function sumByProject(
  { now, before, members }: Collected,
  accepted: ReadonlySet<Call>,
  acceptedBefore: ReadonlySet<Call>,
): ProjectWork[] {
  const group = ({ responses }: PeriodData) =>
    Map.groupBy(responses, ({ file }) => members.get(file)?.cwd ?? "");
  const previous = group(before);
  return [...group(now)]
    .map(([project, responses]) => ({
      project,
      ...toWork(responses, accepted),
      before: toWork(previous.get(project) ?? [], acceptedBefore),
    }))
    .sort((a, b) => b.costUsd - a.costUsd || b.responses - a.responses);
}

function toWork(responses: readonly Response[], accepted: ReadonlySet<Call>): Work {
  let [cost, ms, changes] = [0, 0, 0];
  for (const response of responses) {
    cost += response.cost;
    ms += response.waited;
    for (const call of response.calls) {
      ms += call.ms;
      if (accepted.has(call)) changes++;
    }
  }
  const costUsd = toDollars(cost);
  return {
    sessions: new Set(responses.map(({ file }) => file)).size,
    responses: responses.length,
    costUsd,
    ms,
    changes,
    ...(changes > 0 && { costPerChangeUsd: costUsd / changes, msPerChange: ms / changes }),
  };
}
