import { useEffect, useRef, useState } from "preact/hooks";

/** Throttles a value: it changes at most once per interval, and always ends at the latest value. */
export function useThrottled<T>(milliseconds: number, value: T): T {
  const [throttled, setThrottled] = useState(value);
  const changedAt = useRef(performance.now());
  useEffect(() => {
    if (throttled === value) return undefined;
    const wait = changedAt.current + milliseconds - performance.now();
    const timer = setTimeout(
      () => {
        changedAt.current = performance.now();
        setThrottled(value);
      },
      Math.max(0, wait),
    );
    return () => clearTimeout(timer);
  }, [milliseconds, value, throttled]);
  return throttled;
}
