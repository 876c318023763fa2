import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { MessagePage } from "./message-page.tsx";

/** Catches render errors of a view and shows a message until `at` changes. */
export function ViewErrorBoundary({ at, children }: { at: string; children: ComponentChildren }) {
  const [error, retry] = useErrorBoundary();
  useEffect(retry, [at]);
  if (error === undefined) return <>{children}</>;
  return (
    <MessagePage title="This view failed" error={error}>
      <p>
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      </p>
    </MessagePage>
  );
}
