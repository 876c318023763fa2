import type { ComponentChildren } from "preact";
import { ErrorMessage } from "./error-message.tsx";

interface Props {
  title: string;
  error?: unknown;
  children?: ComponentChildren;
}

/** A message in place of a view that cannot be displayed. */
export function MessagePage({ title, error, children }: Props) {
  return (
    <main class="nothing">
      <h1>{title}</h1>
      {error !== undefined && <ErrorMessage error={error} />}
      {children ?? (
        <p>
          <a href="/">All sessions</a>
        </p>
      )}
    </main>
  );
}
