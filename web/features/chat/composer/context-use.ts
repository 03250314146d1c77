/** How much of the open thread the next request sends. The thread view computes it; the composer shows it. */
import { createStore } from '../../../lib/store.ts'

export type ContextUse = {
  readonly modelName: string
  /** Of the messages, estimated. */
  readonly tokens: number
  readonly maxTokens: number
  /** Older messages are not loaded, so it may be more. */
  readonly isAtLeast: boolean
  /** What becomes of the messages before the window. `sent`: there are none. */
  readonly before: 'sent' | 'summarized' | 'toSummarize' | 'omitted'
}

/** Chosen: an estimate is not exact to the token. */
export const roundedTokens = (tokens: number): number => Math.round(tokens / 100) * 100

export const contextUse = createStore<ContextUse | null>(null)

/** Chosen: a thread that fills less of the window needs no attention. */
const shownFrom = 0.5

export const isContextShown = (use: ContextUse | null): boolean =>
  use !== null && (use.before !== 'sent' || use.tokens >= use.maxTokens * shownFrom)
