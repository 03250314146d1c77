/**
 * Rule for names that one user enters and another user reads: users, organizations, teams. A name is one line of visible text without
 * control, bidi and zero-width characters and without a link. Pure.
 */
import * as z from 'zod/mini'
import type { RefusalCode } from './errors.ts'
import { cutAt } from './text.ts'

/**
 * The capture group matches emoji sequences, which are kept: a family consists of emoji and zero-width joiners. The other alternatives
 * match control and format characters (bidi, zero-width), lone surrogates and fillers.
 */
const invisible =
  /(\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*|[\d#*]\uFE0F)|[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\u2800]|[^\P{Cc}\s]/gu

/** Text that mail programs turn into a link: a scheme, two slashes, `www.`, an IPv4 address, or a domain with a path. Tested on NFKC text. */
const link = /[/\\]{2}[\p{L}\p{N}]|\bhttps?:|\bwww[.。]|\d[.。]\d{1,3}[.。]\d{1,3}[.。]\d|[\p{L}\p{N}-][.。]\p{L}{2,}[/:?#]/iu
const hasLink = (name: string): boolean => link.test(name.normalize('NFKC'))

/** Removes invisible characters and line breaks. Empty if no visible character remains. */
export function cleanName(text: string): string {
  const name = text.replace(invisible, '$1').replace(/\s+/gu, ' ').trim()
  return /[\p{L}\p{N}\p{S}\p{P}]/u.test(name) ? name : ''
}

/** For names that only text shows: cleans the name, then refuses an empty and a long name with this code. */
export const plainNameSchema = (maxChars: number, code: RefusalCode) =>
  z.string().check(z.overwrite(cleanName), z.minLength(1, code), z.maxLength(maxChars, code))

/** For names that a user sets: cleans the name, then refuses an empty name, a long name and a link. */
export const nameSchema = (maxChars: number) =>
  z.string().check(
    z.overwrite(cleanName),
    z.minLength(1),
    z.maxLength(maxChars),
    z.refine((name) => !hasLink(name)),
  )

/** For names from providers, which are never refused: cut at a code point boundary. Empty for a name with a link. */
export function fitName(text: string, maxChars: number): string {
  const name = cleanName(text)
  // Cutting an emoji sequence can leave a joiner at the end.
  return hasLink(name) ? '' : cleanName(cutAt(name, maxChars))
}

/** True for the name of an account that signed up without one: the local part of its address. */
export const hasDefaultName = ({ name, email }: { readonly name: string; readonly email: string }): boolean => email.startsWith(`${name}@`)

/** A name for the text or subject of a mail. Mail programs link bare domains, so each dot inside a word gets a space after it. */
export const nameInMail = (name: string): string =>
  cleanName(name)
    .replace(/:\/\//g, ': //')
    .replace(/(?<=[\p{L}\p{N}-])[.․．。｡](?=[\p{L}\p{N}-])/gu, '$& ')
