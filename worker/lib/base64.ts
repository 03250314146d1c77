/** Base64 of large byte arrays, in slices: a call takes a limited number of arguments, and one string per byte would exhaust the memory. */

/** Arguments of one call; more would overflow the stack. A multiple of 3, so that encoded slices concatenate without padding. */
const sliceBytes = 3 * 8192
/** Characters of one encoded slice. */
export const sliceChars = 4 * 8192

export function base64Of(bytes: Uint8Array): string {
  let encoded = ''
  for (let at = 0; at < bytes.length; at += sliceBytes) encoded += btoa(String.fromCharCode(...bytes.subarray(at, at + sliceBytes)))
  return encoded
}

/** Decodes base64, with or without padding. Throws for other characters. */
export function bytesOfBase64(encoded: string): Uint8Array<ArrayBuffer> {
  const characters = atob(encoded)
  const bytes = new Uint8Array(characters.length)
  for (let at = 0; at < characters.length; at++) bytes[at] = characters.charCodeAt(at)
  return bytes
}
