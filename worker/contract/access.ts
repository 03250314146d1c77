/**
 * Plans, limits, and who may use which model: pure functions of rows and the time. The server enforces them,
 * the interface explains them, and because both call these they cannot disagree.
 */

import { isRefusal, type Refusal, refusal } from './errors.ts'
import {
  creditsPerDay,
  forksPerDay,
  researchesPerDay,
  searchesPerDay,
  storedContentBytes,
  storedContentRows,
  usageWarningRatio,
} from './limits.ts'
import type { TurnMode } from './modes.ts'
import type { Access, Capability, QueueHold } from './schema.ts'
import { givesPro, type Subscription } from './subscription.ts'

export type Plan = 'guest' | 'free' | 'pro'

export const dayMs = 24 * 60 * 60 * 1000

/** UTC days since the epoch. */
export const dayOf = (nowMs: number): number => Math.floor(nowMs / dayMs)

/** When the counts of the day begin anew. */
export const nextDayStartMs = (nowMs: number): number => (dayOf(nowMs) + 1) * dayMs

type PlanFacts = {
  readonly isAnonymous?: boolean | null | undefined
  readonly subscription?: Subscription | null | undefined
  /** Of the organizations this person is a member of. */
  readonly shared?: readonly (Subscription | null | undefined)[]
}

/** PRO lasts as long as what was paid, by the person or by an organization of theirs. */
export const planOf = ({ isAnonymous, subscription, shared = [] }: PlanFacts, nowMs: number): Plan => {
  if ([subscription, ...shared].some((paid) => paid && givesPro(paid, nowMs))) return 'pro'
  return isAnonymous ? 'guest' : 'free'
}

type UsageFacts = {
  readonly credits?: number | null | undefined
  readonly day?: number | null | undefined
}

/** Credits used today. A row of an earlier day counts nothing; a day ahead of the clock still counts. */
export const creditsUsed = (usage: UsageFacts | null | undefined, nowMs: number): number =>
  usage?.day != null && usage.day >= dayOf(nowMs) ? (usage.credits ?? 0) : 0

export type CreditState = {
  readonly used: number
  readonly limit: number
  readonly left: number
  readonly warn: boolean
}

export const creditState = (plan: Plan, usage: UsageFacts | null | undefined, nowMs: number): CreditState => {
  const limit = creditsPerDay[plan]
  const used = creditsUsed(usage, nowMs)
  return {
    used,
    limit,
    left: Math.max(0, limit - used),
    warn: used >= limit * usageWarningRatio,
  }
}

type ContentFacts = { readonly contentBytes?: number | null | undefined; readonly contentRows?: number | null | undefined }

export type ContentState = {
  readonly bytes: number
  readonly maxBytes: number
  readonly rows: number
  readonly maxRows: number
  /** The larger share of the two limits. */
  readonly share: number
  readonly warn: boolean
}

/** How much of the plan's storage for threads and messages is used. */
export const contentState = (plan: Plan, usage: ContentFacts | null | undefined): ContentState => {
  const [maxBytes, maxRows] = [storedContentBytes[plan], storedContentRows[plan]]
  const [bytes, rows] = [usage?.contentBytes ?? 0, usage?.contentRows ?? 0]
  const share = Math.max(bytes / maxBytes, rows / maxRows)
  return { bytes, maxBytes, rows, maxRows, share, warn: share >= usageWarningRatio }
}

/** Why nothing can be added, or null when there is room. The counts here are rounded down; D1 checks the exact ones. */
export const contentRefusal = (
  plan: Plan,
  usage: ContentFacts | null | undefined,
  added: { readonly bytes: number; readonly rows: number } = { bytes: 0, rows: 0 },
): Refusal | null => {
  const { share, bytes, maxBytes, rows, maxRows } = contentState(plan, usage)
  return share >= 1 || bytes + added.bytes > maxBytes || rows + added.rows > maxRows ? refusal('content_full') : null
}

type ForkFacts = { readonly forks?: number | null | undefined; readonly forkDay?: number | null | undefined }

/** Why no thread can be forked today, or null. */
export const forkRefusal = (plan: Plan, usage: ForkFacts | null | undefined, nowMs: number): Refusal | null =>
  usage?.forkDay != null && usage.forkDay >= dayOf(nowMs) && (usage.forks ?? 0) >= forksPerDay[plan] ? refusal('fork_limit_reached') : null

export type ModelFacts = {
  readonly access?: Access | null | undefined
  readonly credits?: number | null | undefined
  /** Why nobody can use it now, as a refusal's code. */
  readonly unavailable?: string | null | undefined
}

/** What one message to this model costs. */
export const creditsFor = (model: ModelFacts): number => model.credits ?? 1

/** Why this plan may not use this model at all, or null when it may. */
export const modelRefusal = (plan: Plan, model: ModelFacts): Refusal | null => {
  if (model.unavailable) return unavailability(model.unavailable)
  switch (model.access ?? 'public') {
    case 'public':
      return null
    case 'account_required':
      return plan === 'guest' ? refusal('account_required') : null
    case 'premium_required':
      return plan === 'pro' ? null : refusal('premium_required')
    default:
      // A row of a newer version may ask for what this one does not know.
      return refusal('model_unavailable')
  }
}

/** A row may give a reason that this version does not know yet. */
const unavailability = (reason: string): Refusal => {
  const named = { code: reason }
  return isRefusal(named) ? refusal(named.code) : refusal('model_unavailable')
}

/** Why a message cannot be sent to this model now, or null when it can. */
export const sendRefusal = (
  plan: Plan,
  model: ModelFacts | null | undefined,
  usage: UsageFacts | null | undefined,
  nowMs: number,
  /** What it costs, where that is not the model's price. */
  credits = model ? creditsFor(model) : 0,
): Refusal | null => {
  if (!model) return refusal('no_model')
  const byModel = modelRefusal(plan, model)
  if (byModel) return byModel
  const { left } = creditState(plan, usage, nowMs)
  if (left >= credits) return null
  return left === 0 ? refusal('credits_exhausted') : { code: 'credits_short', message: `Costs ${credits} credits, you have ${left} today` }
}

export type SearchState = { readonly used: number; readonly limit: number; readonly left: number }

type SearchFacts = { readonly search?: number | null | undefined; readonly day?: number | null | undefined }

/** One message in Search mode is one search, however many queries its answer takes. */
export const searchState = (plan: Plan, usage: SearchFacts | null | undefined, nowMs: number): SearchState => {
  const limit = searchesPerDay[plan]
  const used = usage?.day != null && usage.day >= dayOf(nowMs) ? (usage.search ?? 0) : 0
  return { used, limit, left: Math.max(0, limit - used) }
}

type ResearchFacts = { readonly research?: number | null | undefined; readonly day?: number | null | undefined }

/** A research counts when its plan is approved; the plan itself is free. */
export const researchState = (plan: Plan, usage: ResearchFacts | null | undefined, nowMs: number): SearchState => {
  const limit = researchesPerDay[plan]
  const used = usage?.day != null && usage.day >= dayOf(nowMs) ? (usage.research ?? 0) : 0
  return { used, limit, left: Math.max(0, limit - used) }
}

type ToolFacts = { readonly capabilities?: readonly Capability[] | null | undefined }

/** Why a message to this model cannot be sent in this mode now, or null when it can. */
export const modeRefusal = (
  mode: TurnMode,
  plan: Plan,
  model: ToolFacts | null | undefined,
  usage: (SearchFacts & ResearchFacts) | null | undefined,
  nowMs: number,
  /** How many of the day's it takes: a research that goes on is counted already. */
  count = 1,
): Refusal | null => {
  if (mode === 'chat') return null
  if (mode === 'research' && plan !== 'pro') return refusal(plan === 'guest' ? 'research_account_required' : 'research_premium_required')
  if (model && !model.capabilities?.includes('tools')) return refusal('tools_unsupported')
  const { left } = mode === 'research' ? researchState(plan, usage, nowMs) : searchState(plan, usage, nowMs)
  if (left >= count) return null
  return { code: 'tool_limit_reached', message: `Daily limit of ${mode === 'research' ? 'researches' : 'searches'} reached` }
}

export const dailyHolds = ['credits_exhausted', 'credits_short', 'tool_limit_reached'] as const satisfies readonly QueueHold[]
type DailyHold = (typeof dailyHolds)[number]

/** Whether a queued message waits for the limits of the day, and so goes on by itself. */
export const isDailyHold = (hold: QueueHold | null | undefined): hold is DailyHold => dailyHolds.some((daily) => daily === hold)
