import { useEffect, useRef, useState } from "preact/hooks";

/** A value that changes as another one does, but so often at the most: what was missed meanwhile comes then. */
export function useAtMostEvery<T>(milliseconds: number, value: T): T {
  const [seldom, setSeldom] = useState(value);
  const changed = useRef(performance.now());
  useEffect(() => {
    if (seldom === value) return undefined;
    const wait = changed.current + milliseconds - performance.now();
    const timer = setTimeout(
      () => {
        changed.current = performance.now();
        setSeldom(value);
      },
      Math.max(0, wait),
    );
    return () => clearTimeout(timer);
  }, [milliseconds, value, seldom]);
  return seldom;
}
