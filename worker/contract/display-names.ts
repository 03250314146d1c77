/** Names of the first screen. The Worker writes them into the first paint, and the page draws the same. */
import type { Plan } from './access.ts'
import type { FirstPaintText } from './first-paint-text.ts'

type Viewer = {
  readonly user: { readonly name: string; readonly email: string }
  readonly setting: { readonly nickname?: string | null | undefined } | null | undefined
}

export const nameOf = ({ user, setting }: Viewer, text: FirstPaintText): string =>
  setting?.nickname || user.name || user.email || text('guest')

/** Shown for a thread without a title. */
export const titleOf = ({ title }: { readonly title?: string | null | undefined }, text: FirstPaintText): string =>
  title || text('newThread')

/** The greeting of a new thread applies before this hour of the local day. */
const salutes = [
  [5, 'upLate'],
  [12, 'goodMorning'],
  [18, 'goodAfternoon'],
  [24, 'goodEvening'],
] as const

export type Greeting = { readonly beforeHour: number; readonly text: string }

/** True for the name of a guest, and of an account that signed up without a name: the local part of its address. */
const isPlaceholder = ({ plan, user }: Viewer & { readonly plan: Plan }): boolean =>
  plan === 'guest' || user.name === user.email.split('@')[0]

/** Greetings of a day, in order, with a name if the user has chosen one. */
export function greetingsFor(viewer: (Viewer & { readonly plan: Plan }) | null | undefined, text: FirstPaintText): readonly Greeting[] {
  const name = viewer?.setting?.nickname || (viewer && !isPlaceholder(viewer) ? viewer.user.name.split(' ')[0] : '')
  return salutes.map(([beforeHour, key]) => {
    const greeting = text(key)
    return { beforeHour, text: name ? text('greetingWithName', { greeting, name }) : greeting }
  })
}

export const greetingAt = (greetings: readonly Greeting[], hour: number): string =>
  greetings.find(({ beforeHour }) => hour < beforeHour)?.text ?? ''

/** Suggested first messages of a new thread. */
export const starterPrompts = (text: FirstPaintText): readonly string[] => [
  text('starterTides'),
  text('starterDecline'),
  text('starterDatabases'),
  text('starterLisbon'),
]

/** The number of prompts that fit on a low window. */
export const promptsOfLowWindow = 2

const foldedChars = 1600
const foldedLines = 18

/** True for a message of the user that is first shown in part. */
export const isFoldedMessage = (text: string): boolean =>
  text.length > foldedChars || text.split('\n', foldedLines + 1).length > foldedLines
