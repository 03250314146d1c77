/** Words of the first screen. The Worker writes them into the first paint, and the page draws the same. */
import type { Plan } from './access.ts'

type Viewer = {
  readonly user: { readonly name: string; readonly email: string }
  readonly setting: { readonly nickname?: string | null | undefined } | null | undefined
}

export const nameOf = ({ user, setting }: Viewer): string => setting?.nickname || user.name || user.email || 'Guest'

const planNames: Record<Plan, string> = { guest: 'Guest', free: 'Free', pro: 'PRO' }

export const planName = (plan: Plan): string => planNames[plan]

export const creditsLeft = (left: number): string => `${left} ${left === 1 ? 'credit' : 'credits'} left`

/** Shown for a thread without a title. */
export const titleOf = ({ title }: { readonly title?: string | null | undefined }): string => title || 'New thread'

/** The greeting of a new thread applies before this hour of the local day. */
const salutes = [
  [5, 'Up late'],
  [12, 'Good morning'],
  [18, 'Good afternoon'],
  [24, 'Good evening'],
] as const

export type Greeting = { readonly beforeHour: number; readonly text: string }

/** Greetings of a day, in order. A guest is greeted by the nickname only, because the name of a guest is a placeholder. */
export function greetingsFor(viewer: (Viewer & { readonly plan: Plan }) | null | undefined): readonly Greeting[] {
  const name = viewer?.setting?.nickname || (viewer && viewer.plan !== 'guest' ? viewer.user.name.split(' ')[0] : '')
  return salutes.map(([beforeHour, salute]) => ({ beforeHour, text: name ? `${salute}, ${name}` : salute }))
}

export const greetingAt = (greetings: readonly Greeting[], hour: number): string =>
  greetings.find(({ beforeHour }) => hour < beforeHour)?.text ?? ''
