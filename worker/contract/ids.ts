/** Identifiers: opaque random strings of 126 bits, created by the browser or the server. */
import * as z from 'zod/mini'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-'
export const idChars = 21

/** Format of ids in requests. It is safe in paths and in object names. */
export const idSchema = z.string().check(z.regex(/^[A-Za-z0-9_-]{8,64}$/))

export const modelIdSchema = z.string().check(z.minLength(1), z.maxLength(100))

/** The id of a shared link has the full length: a shorter one could be guessed. */
export const shareIdSchema = z.string().check(z.regex(/^[A-Za-z0-9_-]{21}$/))

/** Limited to 40 characters, because the ids of copied messages and files are this id plus a suffix. */
export const newThreadIdSchema = z.string().check(z.regex(/^[A-Za-z0-9_-]{16,40}$/))

/** `bytes`: `idChars` random bytes. An argument, because this module is compiled without the globals of either side. */
export const idFrom = (bytes: Uint8Array): string => Array.from(bytes.subarray(0, idChars), (byte) => alphabet[byte & 63]).join('')
