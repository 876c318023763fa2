/**
 * Fast hashes of short texts, to distinguish entries and calls within one file. Not cryptographic: setting up a digest for each
 * text would be much slower.
 */

/** A 32-bit hash, signed. */
export function hash32(text: string): number {
  return mixed(lane(text, 0x811c9dc5, 0x01000193)) | 0;
}

/** A 48-bit hash: enough to avoid collisions among the ids of a file, and exact in a number. */
export function hash48(text: string): number {
  const low = mixed(lane(text, 0x811c9dc5, 0x01000193)) >>> 0;
  const high = mixed(lane(text, 0x9747b28c, 0x5bd1e995)) & 0xffff;
  return high * 2 ** 32 + low;
}

/** FNV-1a over UTF-16 units instead of bytes. */
function lane(text: string, seed: number, prime: number): number {
  let hash = seed ^ text.length;
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), prime) ^ (hash >>> 15);
  return hash;
}

/** Mixes the bits, so that the last characters affect all of them. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
