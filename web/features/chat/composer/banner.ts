/** The notice on the daily credits above the composer. */
import type { CreditState } from '../../../../worker/contract/access.ts'
import { type Refusal, refusal } from '../../../../worker/contract/errors.ts'
import type { AnyRefusal } from '../../../lib/refusals/sending-sentence.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { withResetTime } from './refusal-text.ts'
import { t } from './texts/en.ts'

type UsageBanner = {
  readonly text: string
  readonly isExhausted: boolean
}

export const refusalText = (refused: AnyRefusal, nowMs: number): string => withResetTime(refused.code, refusalSentence(refused), nowMs)

/** Explains why a message is sent as Chat instead of in the selected mode. */
export const sendsAsChatText = (reason: Refusal, nowMs: number): string =>
  t('sentAsChat', { reason: refusalText(reason, nowMs).replace(/(?<!\.)$/, '.') })

/** `isCountShown`: another part of the page shows the remaining credits. */
export function usageBanner({ left, warn }: CreditState, isCountShown: boolean, nowMs: number): UsageBanner | null {
  const isExhausted = left === 0
  if (!warn || (isCountShown && !isExhausted)) return null
  return { text: isExhausted ? refusalText(refusal('credits_exhausted'), nowMs) : t('creditsLeft', { credits: left }), isExhausted }
}
