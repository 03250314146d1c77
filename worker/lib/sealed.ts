/**
 * Texts that only this deployment can read: AES-GCM with a key from the Worker's secret (HKDF-SHA-256). `purpose` separates keys, and `context`
 * binds a text to its row, so it is useless in another one. Changing the secret makes sealed texts unreadable.
 */
import { base64Of, bytesOfBase64 } from './base64.ts'

const ivBytes = 12
const encoder = new TextEncoder()

async function keyOf(secret: string, purpose: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveKey'])
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(purpose) }
  return crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

export async function seal(secret: string, purpose: string, context: string, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
  const algorithm = { name: 'AES-GCM', iv, additionalData: encoder.encode(context) }
  const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, await keyOf(secret, purpose), encoder.encode(text)))
  const bytes = new Uint8Array(ivBytes + sealed.length)
  bytes.set(iv)
  bytes.set(sealed, ivBytes)
  return base64Of(bytes)
}

/** Null for a text of another secret, purpose or context, and for a changed one. */
export async function unseal(secret: string, purpose: string, context: string, sealed: string): Promise<string | null> {
  try {
    const bytes = bytesOfBase64(sealed)
    const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, ivBytes), additionalData: encoder.encode(context) }
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, await keyOf(secret, purpose), bytes.subarray(ivBytes)))
  } catch {
    return null
  }
}
