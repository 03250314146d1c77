/**
 * Keyed digest of a value: 128 bits of HMAC-SHA-256 in hexadecimal. `purpose` separates digests of the same value, so a digest from one
 * table or cookie is useless in another.
 */
export async function keyedDigest(secret: string, purpose: string, value: string): Promise<string> {
  const encoder = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(`${purpose}:${value}`))
  return [...new Uint8Array(signature).slice(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The SHA-256 hash of a text in UTF-8, in hexadecimal digits. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The SHA-256 hash of a text in UTF-8, in Base64, as content security policies name it. */
export async function sha256Base64(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}

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
