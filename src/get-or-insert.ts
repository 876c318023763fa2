/** The value of a key, which is made if it is missing. */
export function getOrInsert<K, V>(map: Map<K, V>, key: K, make: (key: K) => V): V {
  if (!map.has(key)) map.set(key, make(key));
  return map.get(key) as V;
}
