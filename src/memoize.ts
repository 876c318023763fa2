/** Returns a function that calls `make` the first time and returns the same value from then on. */
export function memoize<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
