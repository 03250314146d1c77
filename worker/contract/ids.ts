/** Identifiers: opaque random strings of 126 bits, created by the browser or the server. */
import * as z from 'zod/mini'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-'
export const idChars = 21

/** Format of ids in requests. It is safe in paths and in object names. */
export const idSchema = z.string().check(z.regex(/^[A-Za-z0-9_-]{8,64}$/))

/** `bytes`: `idChars` random bytes. An argument, because this module is compiled without the globals of either side. */
export const idFrom = (bytes: Uint8Array): string => Array.from(bytes.subarray(0, idChars), (byte) => alphabet[byte & 63]).join('')

export const idBytes = idChars
