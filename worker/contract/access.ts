/**
 * Plans, limits and model access, as pure functions of rows and time. The server enforces the rules and the client shows them. Both call
 * the same functions, so they agree.
 */

import { isRefusal, type Refusal, refusal } from './errors.ts'
import type { ModelCapabilities } from './files/files.ts'
import {
  creditsPerDay,
  forksPerDay,
  researchesPerDay,
  searchesPerDay,
  storedContentBytes,
  storedContentRows,
  usageWarningRatio,
} from './limits.ts'
import type { Access } from './models/model-table.ts'
import type { TurnMode } from './models/modes.ts'
import { givesPro, type Subscription } from './organizations/subscription.ts'

export type Plan = 'guest' | 'free' | 'pro'

export const dayMs = 24 * 60 * 60 * 1000

/** UTC days since the epoch. */
export const dayOf = (nowMs: number): number => Math.floor(nowMs / dayMs)

/** Start of the next UTC day, when the daily counts reset. */
export const nextDayStartMs = (nowMs: number): number => (dayOf(nowMs) + 1) * dayMs

type AccountStatus = {
  readonly isAnonymous?: boolean | null | undefined
  readonly subscription?: Subscription | null | undefined
  /** Subscriptions of the organizations that the user is a member of. */
  readonly shared?: readonly (Subscription | null | undefined)[]
}

/** PRO lasts while a subscription of the user or of one of the user's organizations gives it. */
export const planOf = ({ isAnonymous, subscription, shared = [] }: AccountStatus, nowMs: number): Plan => {
  if ([subscription, ...shared].some((paid) => paid && givesPro(paid, nowMs))) return 'pro'
  return isAnonymous ? 'guest' : 'free'
}

/** The UTC day on which the month of this time begins. */
export const monthStartOf = (nowMs: number): number => dayOf(nowMs) - new Date(nowMs).getUTCDate() + 1

/** A daily count. A count of an earlier day is 0. A count of a later day still applies, because the clocks of two machines can differ. */
export const countToday = (day: number | null | undefined, count: number | null | undefined, nowMs: number): number =>
  day != null && day >= dayOf(nowMs) ? (count ?? 0) : 0

type CountedUsage = {
  readonly [field in
    | 'credits'
    | 'search'
    | 'research'
    | 'day'
    | 'monthStart'
    | 'monthCredits'
    | 'dailyCreditLimit'
    | 'monthlyCreditLimit']?: number | null | undefined
}

export type CreditState = {
  /** Today. */
  readonly used: number
  /** Of today: that of the plan, or a lower one of the user. */
  readonly limit: number
  /** Today, and not more than the user's limits leave of the month. */
  readonly left: number
  readonly warn: boolean
}

export const creditState = (plan: Plan, usage: CountedUsage | null | undefined, nowMs: number): CreditState => {
  const used = countToday(usage?.day, usage?.credits, nowMs)
  const limit = Math.min(creditsPerDay[plan], usage?.dailyCreditLimit ?? Number.POSITIVE_INFINITY)
  const left = Math.max(0, Math.min(limit - used, leftOfMonth(usage, nowMs)))
  return { used, limit, left, warn: limit - left >= limit * usageWarningRatio }
}

export const creditsThisMonth = (usage: CountedUsage | null | undefined, nowMs: number): number =>
  (usage?.monthStart ?? 0) >= monthStartOf(nowMs) ? (usage?.monthCredits ?? 0) : 0

const leftOfMonth = (usage: CountedUsage | null | undefined, nowMs: number): number =>
  (usage?.monthlyCreditLimit ?? Number.POSITIVE_INFINITY) - creditsThisMonth(usage, nowMs)

/** The reason why the user cannot spend this many credits now, or null. */
export const creditRefusal = (plan: Plan, usage: CountedUsage | null | undefined, credits: number, nowMs: number): Refusal | null => {
  const { used, left } = creditState(plan, usage, nowMs)
  if (left >= credits) return null
  // Waiting for the reset does not help.
  if (credits > creditsPerDay[plan]) return refusal('credits_above_day', { credits, limit: creditsPerDay[plan] })
  const leftOfPlan = Math.max(0, creditsPerDay[plan] - used)
  if (leftOfPlan < credits) return leftOfPlan === 0 ? refusal('credits_exhausted') : refusal('credits_short', { credits, left })
  // If both limits of the user leave too little, the one that ends later.
  return refusal(leftOfMonth(usage, nowMs) < credits ? 'own_monthly_limit_reached' : 'own_daily_limit_reached')
}

type ContentUsage = { readonly contentBytes?: number | null | undefined; readonly contentRows?: number | null | undefined }

type ContentState = {
  readonly bytes: number
  readonly maxBytes: number
  readonly rows: number
  readonly maxRows: number
  /** The larger share of the two limits. */
  readonly share: number
  readonly warn: boolean
}

/** Use of the plan's storage for threads and messages. */
export const contentState = (plan: Plan, usage: ContentUsage | null | undefined): ContentState => {
  const [maxBytes, maxRows] = [storedContentBytes[plan], storedContentRows[plan]]
  const [bytes, rows] = [usage?.contentBytes ?? 0, usage?.contentRows ?? 0]
  const share = Math.max(bytes / maxBytes, rows / maxRows)
  return { bytes, maxBytes, rows, maxRows, share, warn: share >= usageWarningRatio }
}

/** The reason why no content can be added, or null. The client has counts that are rounded down; D1 checks the exact ones. */
export const contentRefusal = (
  plan: Plan,
  usage: ContentUsage | null | undefined,
  added: { readonly bytes: number; readonly rows: number } = { bytes: 0, rows: 0 },
): Refusal | null => {
  const { share, bytes, maxBytes, rows, maxRows } = contentState(plan, usage)
  return share >= 1 || bytes + added.bytes > maxBytes || rows + added.rows > maxRows ? refusal('content_full') : null
}

type ForkUsage = { readonly forks?: number | null | undefined; readonly forkDay?: number | null | undefined }

/** The reason why no thread can be forked today, or null. */
export const forkRefusal = (plan: Plan, usage: ForkUsage | null | undefined, nowMs: number): Refusal | null =>
  countToday(usage?.forkDay, usage?.forks, nowMs) >= forksPerDay[plan] ? refusal('fork_limit_reached') : null

export type ModelAccess = {
  readonly access?: Access | null | undefined
  readonly credits?: number | null | undefined
  /** Refusal code if no user can use the model now. */
  readonly unavailable?: string | null | undefined
}

/** Credits of one message. */
export const creditsFor = (model: ModelAccess): number => model.credits ?? 1

/** Credits of one message to several models. */
export const creditsForAll = (models: readonly (ModelAccess | null | undefined)[]): number =>
  models.reduce((sum, model) => sum + (model ? creditsFor(model) : 0), 0)

/** The reason why this plan cannot use the model, or null. */
export const modelRefusal = (plan: Plan, model: ModelAccess): Refusal | null => {
  if (model.unavailable) return unavailability(model.unavailable)
  switch (model.access ?? 'public') {
    case 'public':
      return null
    case 'account_required':
      return plan === 'guest' ? refusal('account_required') : null
    case 'premium_required':
      return plan === 'pro' ? null : refusal('premium_required')
    default:
      // A newer server version can store an access level that this version does not have.
      return refusal('model_unavailable')
  }
}

/** A newer server version can store a reason that this version does not have. */
const unavailability = (reason: string): Refusal => {
  const named = { code: reason }
  return isRefusal(named) ? refusal(named.code) : refusal('model_unavailable')
}

/** The reason why no message can be sent to this model now, or null. */
export const sendRefusal = (
  plan: Plan,
  model: ModelAccess | null | undefined,
  usage: CountedUsage | null | undefined,
  nowMs: number,
  /** Overrides the model's price. */
  credits = model ? creditsFor(model) : 0,
): Refusal | null => {
  if (!model) return refusal('no_model')
  const byModel = modelRefusal(plan, model)
  if (byModel) return byModel
  return creditRefusal(plan, usage, credits, nowMs)
}

const modesPerDay = { search: searchesPerDay, research: researchesPerDay }

/**
 * The daily allowance of a mode. A turn that searches counts as one search, regardless of its number of queries, from its first one. A research
 * counts when its plan is approved; planning is free.
 */
export const modeAllowance = (mode: 'search' | 'research', plan: Plan, usage: CountedUsage | null | undefined, nowMs: number) => {
  const limit = modesPerDay[mode][plan]
  const used = countToday(usage?.day, usage?.[mode], nowMs)
  return { used, limit, left: Math.max(0, limit - used) }
}

/** The reason why no message can be sent in this mode now, or null. */
export const modeRefusal = (
  mode: TurnMode,
  plan: Plan,
  model: ModelCapabilities | null | undefined,
  usage: CountedUsage | null | undefined,
  nowMs: number,
  /** Searches or researches to count. 0 for a continued research, which has been counted already. */
  count = 1,
): Refusal | null => {
  if (mode === 'chat') return null
  if (mode === 'research' && plan !== 'pro') return refusal(plan === 'guest' ? 'research_account_required' : 'research_premium_required')
  if (model && !model.capabilities?.includes('tools')) return refusal('tools_unsupported')
  return modeAllowance(mode, plan, usage, nowMs).left >= count ? null : refusal('tool_limit_reached')
}
