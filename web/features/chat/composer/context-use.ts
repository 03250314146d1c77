/** How much of the open thread the next request sends. The thread view computes it; its meter is in the composer. */

export type ContextUse = {
  readonly modelName: string
  /** The estimated tokens of the messages. */
  readonly tokens: number
  readonly maxTokens: number
  /** Older messages are not loaded, so it may be more. */
  readonly isAtLeast: boolean
  /** What becomes of the messages before the window. `sent`: there are none. */
  readonly before: 'sent' | 'summarized' | 'toSummarize' | 'omitted'
}

/** Chosen: an estimate is not exact to the token. */
export const roundedTokens = (tokens: number): number => Math.round(tokens / 100) * 100

/** Chosen: a thread that fills less of the window needs no attention. */
const shownFrom = 0.5

export const isContextShown = ({ before, tokens, maxTokens }: ContextUse): boolean => before !== 'sent' || tokens >= maxTokens * shownFrom
