import type { ComponentChildren } from "preact";
import { type ApiParams, useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { ErrorMessage } from "../shell/error-message.tsx";
import type { Report } from "./usage-table.tsx";

/** A usage report, and the parameters of its request. */
export interface UsageResult {
  usage: Report;
  params: ApiParams;
}

interface Props {
  params: ApiParams;
  children: (answered: UsageResult) => ComponentChildren;
}

/** Requests a usage report and renders it. The previous one stays until the next arrives. */
export function UsageQuery({ params, children }: Props) {
  const { data, error } = useAnswer("usage", params, useVersion());
  if (error !== undefined) return <ErrorMessage error={error} />;
  return <>{data && children({ usage: data.usage, params })}</>;
}
