/**
 * Hashes of short texts, for telling apart what is compared within one file or one moment: far quicker than those that
 * withstand an attack, which start a digest for each.
 */

/** 32 bits of a text, signed. */
export function hash32(text: string): number {
  return mixed(lane(text, 0x811c9dc5, 0x01000193)) | 0;
}

/** 48 bits of a text: as much as chance needs to be left out among the ids of a file, and no more than fits a number. */
export function hash48(text: string): number {
  const low = mixed(lane(text, 0x811c9dc5, 0x01000193)) >>> 0;
  const high = mixed(lane(text, 0x9747b28c, 0x5bd1e995)) & 0xffff;
  return high * 2 ** 32 + low;
}

/** Takes in one UTF-16 unit after the other, as FNV-1a does bytes. */
function lane(text: string, seed: number, prime: number): number {
  let hash = seed ^ text.length;
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), prime) ^ (hash >>> 15);
  return hash;
}

/** Spreads what the last characters changed over all bits. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
