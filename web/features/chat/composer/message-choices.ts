/**
 * Choices for one message. They belong to its draft: they move, are stored, offered, restored and deleted with it, and end when the message
 * leaves the composer. No side effects.
 */

import { type Effort, effortLevels } from '../../../../worker/contract/effort.ts'
import { isTurnMode, type TurnMode } from '../../../../worker/contract/modes.ts'

export type MessageChoices = {
  readonly mode: TurnMode
  /** Answers in place of the user's model. */
  readonly modelId: string | null
  /** The models that answer besides the selected one. */
  readonly comparedIds: readonly string[]
  /** The effort of the thread that the message starts. */
  readonly effort: Effort | null
}

export const defaultChoices: MessageChoices = { mode: 'chat', modelId: null, comparedIds: [], effort: null }

export const isDefault = ({ mode, modelId, comparedIds, effort }: MessageChoices): boolean =>
  mode === 'chat' && modelId === null && comparedIds.length === 0 && effort === null

/**
 * The choices for the message after this one. A thread keeps its mode, except that Research becomes Chat: follow-ups on a report are chat. A
 * new thread starts with the defaults.
 */
export const choicesAfter = ({ mode }: MessageChoices, isNewThread: boolean): MessageChoices => ({
  ...defaultChoices,
  mode: isNewThread || mode === 'research' ? 'chat' : mode,
})

export function parseChoices(value: unknown): MessageChoices {
  if (typeof value !== 'object' || value === null) return defaultChoices
  const { mode, modelId, comparedIds, effort } = value as { readonly [field in keyof MessageChoices]?: unknown }
  return {
    mode: isTurnMode(mode) ? mode : 'chat',
    modelId: typeof modelId === 'string' ? modelId : null,
    comparedIds: Array.isArray(comparedIds) ? comparedIds.filter((id) => typeof id === 'string') : [],
    effort: effortLevels.find((level) => level === effort) ?? null,
  }
}
