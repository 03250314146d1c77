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
