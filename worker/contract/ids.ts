/** Identifiers: opaque strings, made by the browser or the server, unguessable (126 bits). */
import * as z from 'zod/mini'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-'
export const idChars = 21

/** What an id from outside must look like; it also keeps ids safe in paths and object names. */
export const idSchema = z.string().check(z.regex(/^[A-Za-z0-9_-]{8,64}$/))

/** `bytes` are `idChars` random ones; taken as an argument because neither side's globals are known here. */
export const idFrom = (bytes: Uint8Array): string => Array.from(bytes.subarray(0, idChars), (byte) => alphabet[byte & 63]).join('')

export const idBytes = idChars
