/** Base64 of more than a few bytes: some at a time, because calls take only so many arguments and a string for every byte fills the memory. */

/** So many arguments go into one call; more would overflow the stack. A multiple of three, so that the pieces are one. */
const sliceBytes = 3 * 8192
/** What they are in letters. */
export const sliceLetters = 4 * 8192

export function base64Of(bytes: Uint8Array): string {
  let letters = ''
  for (let at = 0; at < bytes.length; at += sliceBytes) letters += btoa(String.fromCharCode(...bytes.subarray(at, at + sliceBytes)))
  return letters
}

/** Of letters that are base64, with or without its padding. */
export function bytesOfBase64(letters: string): Uint8Array<ArrayBuffer> {
  const characters = atob(letters)
  const bytes = new Uint8Array(characters.length)
  for (let at = 0; at < characters.length; at++) bytes[at] = characters.charCodeAt(at)
  return bytes
}
