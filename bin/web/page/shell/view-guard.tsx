import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { Nothing } from "./nothing.tsx";

/** What is shown instead of a view that fails to draw itself, until another is gone to: nobody is left with an empty page. */
export function ViewGuard({ at, children }: { at: string; children: ComponentChildren }) {
  const [error, again] = useErrorBoundary();
  useEffect(again, [at]);
  if (error === undefined) return <>{children}</>;
  return (
    <Nothing title="This could not be shown" error={error}>
      <p>
        <button type="button" class="button" onClick={again}>
          Try again
        </button>
      </p>
    </Nothing>
  );
}
