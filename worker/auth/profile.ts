/**
 * The rules for a user's name and image. The database hooks apply them to every user that is created or updated and never refuse, so that a
 * sign-in through a provider works with any profile. `assertProfile` refuses what a user asks for explicitly.
 */
import { APIError } from 'better-auth/api'
import * as z from 'zod'
import { maxImageUrlChars, maxNameChars } from '../contract/limits.ts'
import { fitName, nameSchema } from '../contract/names.ts'

/** Only https: an address of another scheme could run a script. */
const imageSchema = z.url({ protocol: /^https$/ }).max(maxImageUrlChars)
const userNameSchema = nameSchema(maxNameChars)

type Profile = { readonly name?: unknown; readonly image?: unknown }
type NewUser = Profile & { readonly email: string; readonly isAnonymous?: unknown }

/** Without a usable name, the name is the local part of the address. */
export function newProfile({ name, image, email, isAnonymous }: NewUser, id: string): { name: string; image: string | null } {
  if (isAnonymous === true) return { name: guestName(id), image: null }
  const given = [name, email.split('@')[0]].map((text) => (typeof text === 'string' ? fitName(text, maxNameChars) : ''))
  return { name: given.find((text) => text !== '') ?? guestName(id), image: allowedImage(image) }
}

/** What to write instead of the changes. better-auth merges it over them; undefined leaves the old name. */
export function changedProfile({ name, image }: Profile): { name?: string | undefined; image?: string | null } {
  const fitted = typeof name === 'string' ? fitName(name, maxNameChars) : ''
  return {
    ...(name === undefined ? {} : { name: fitted === '' ? undefined : fitted }),
    ...(image === undefined ? {} : { image: allowedImage(image) }),
  }
}

const allowedImage = (image: unknown): string | null => imageSchema.safeParse(image).data ?? null

/** At sign-up a missing or empty name asks for the default name; a change of the profile has to name one. */
export function assertProfile(body: unknown, kind: 'sign-up' | 'change'): void {
  const { name, image }: Profile = typeof body === 'object' && body !== null ? body : {}
  const hasName = name !== undefined && !(kind === 'sign-up' && name === '')
  if (hasName && !userNameSchema.safeParse(name).success) throw refused('INVALID_NAME')
  if (image !== undefined && image !== null && !imageSchema.safeParse(image).success) throw refused('INVALID_IMAGE')
}

const refused = (code: 'INVALID_NAME' | 'INVALID_IMAGE') => new APIError('BAD_REQUEST', { code })

/** A guest's name: two words, derived from the user id. Names need not be unique. */
const adjectives = [
  ...['Amber', 'Bold', 'Brisk', 'Calm', 'Clever', 'Cosy', 'Curious', 'Eager', 'Gentle', 'Golden', 'Happy', 'Keen', 'Kind', 'Lively'],
  ...['Lucky', 'Mellow', 'Merry', 'Misty', 'Noble', 'Patient', 'Proud', 'Quick', 'Quiet', 'Silver', 'Snowy', 'Steady', 'Sunny', 'Swift'],
  ...['Tidy', 'Warm', 'Wise', 'Witty'],
]

const animals = [
  ...['Badger', 'Beaver', 'Bison', 'Crane', 'Curlew', 'Dolphin', 'Falcon', 'Ferret', 'Finch', 'Fox', 'Gecko', 'Hare', 'Heron', 'Ibis'],
  ...['Jay', 'Kestrel', 'Lark', 'Lynx', 'Marten', 'Mole', 'Newt', 'Otter', 'Owl', 'Panda', 'Plover', 'Puffin', 'Raven', 'Robin', 'Seal'],
  ...['Sparrow', 'Stoat', 'Wren'],
]

export function guestName(id: string): string {
  const hash = hashOf(id)
  return `${adjectives[hash % adjectives.length]} ${animals[(hash >>> 8) % animals.length]}`
}

/** FNV-1a, 32 bits. It distributes short strings well enough for this purpose. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}
