/** Texts and rules that the first paint and the page share. */
import type { Plan } from './access.ts'
import type { FirstPaintText } from './first-paint-text.ts'
import { hasDefaultName } from './names.ts'

type Viewer = {
  readonly user: { readonly name: string; readonly email: string }
  readonly setting: { readonly nickname?: string | null | undefined } | null | undefined
}

export const nameOf = ({ user, setting }: Viewer, text: FirstPaintText): string =>
  setting?.nickname || user.name || user.email || text('guest')

/** Stands for a picture of the user. The image of a sign-in provider would tell it who views what and when. */
export const initialOf = (name: string): string => [...name].slice(0, 1).join('').toUpperCase()

/** Shown for a thread without a title. */
export const titleOf = ({ title }: { readonly title?: string | null | undefined }, text: FirstPaintText): string =>
  title || text('newThread')

/** Each greeting of a new thread applies before its hour, in local time. */
const greetingHours = [
  [5, 'upLate'],
  [12, 'goodMorning'],
  [18, 'goodAfternoon'],
  [24, 'goodEvening'],
] as const

export type Greeting = { readonly beforeHour: number; readonly text: string }

type Greeted = (Viewer & { readonly plan: Plan }) | null | undefined

/** Empty if the user has chosen none: the name of a guest and the default name are generated. */
const chosenName = (viewer: Greeted): string =>
  viewer?.setting?.nickname ||
  (viewer && viewer.plan !== 'guest' && !hasDefaultName(viewer.user) ? viewer.user.name.split(' ')[0] : '') ||
  ''

/** True for an account without a chosen name. */
export const isNameless = (viewer: Greeted): boolean => viewer != null && viewer.plan !== 'guest' && chosenName(viewer) === ''

/** Greetings of a day, in order. They contain the name that the user has chosen. */
export function greetingsFor(viewer: Greeted, text: FirstPaintText): readonly Greeting[] {
  const name = chosenName(viewer)
  return greetingHours.map(([beforeHour, key]) => {
    const greeting = text(key)
    return { beforeHour, text: name ? text('greetingWithName', { greeting, name }) : greeting }
  })
}

export const greetingAt = (greetings: readonly Greeting[], hour: number): string =>
  greetings.find(({ beforeHour }) => hour < beforeHour)?.text ?? ''
