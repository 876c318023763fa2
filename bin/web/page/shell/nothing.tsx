import type { ComponentChildren } from "preact";
import { Trouble } from "./trouble.tsx";

interface Props {
  title: string;
  error?: unknown;
  children?: ComponentChildren;
}

/** A message in place of a view that cannot be displayed. */
export function Nothing({ title, error, children }: Props) {
  return (
    <main class="nothing">
      <h1>{title}</h1>
      {error !== undefined && <Trouble error={error} />}
      {children ?? (
        <p>
          <a href="/">All sessions</a>
        </p>
      )}
    </main>
  );
}

export function NotFound() {
  return <Nothing title="Page not found" />;
}
