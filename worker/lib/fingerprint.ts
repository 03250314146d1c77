/**
 * Synchronous 64-bit hash: two 32-bit FNV-1a hashes with different seeds. It detects changes; it is not collision resistant and must not
 * protect secrets.
 */
export function fingerprint(text: string): string {
  let [a, b] = [0x811c9dc5, 0xc9dc5118]
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ (code + i), 0x01000193)
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
