import { indexStatus } from "./changes.ts";

/** The status of the index. */
export function IndexStatusLabel() {
  const now = indexStatus.value;
  const words = {
    connecting: "connecting",
    syncing: now.state === "syncing" ? `indexing ${Math.floor(now.share * 100)} %` : "",
    fresh: "up to date",
    problem: "not up to date",
    lost: "disconnected",
  }[now.state];
  return (
    <span
      class={`freshness freshness-${now.state}`}
      role="status"
      title={now.state === "problem" ? now.message : undefined}
    >
      {words}
    </span>
  );
}
