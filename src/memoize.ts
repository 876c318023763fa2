/** Returns a function that calls `make` the first time and returns the same value from then on. */
export function memoize<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The same for a function of an object: `make` is called once for each. */
export function memoizeByObject<K extends object, T extends object>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, T>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
