/**
 * Notices above the text field: storage, the latest refusal or else the daily credits, a mode that is not used, a refusal shown before
 * sending, and editing.
 */
import { type CreditState, creditRefusal, creditState } from '../../../../worker/contract/access.ts'
import { type Refusal, type RefusalCode, refusal, ruleOf } from '../../../../worker/contract/errors.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import type { AnyRefusal } from '../../../lib/refusals/sending-sentence.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { type StorageHealth, storageHealth, storesEverything } from '../../../lib/storage-health.ts'
import { createStore, useStore } from '../../../lib/store.ts'
import { libText } from '../../../lib/texts/en.ts'
import type { Me } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import type { Editing } from './draft.ts'
import { Notice } from './notice.tsx'
import { RefusalAction } from './refusal-action.tsx'
import { withResetTime } from './refusal-text.ts'
import { t } from './texts/en.ts'
import { useProblemEnd } from './use-problem-end.ts'
import type { Sender } from './use-sender.ts'

type NoticesProps = {
  readonly sender: Sender
  /** Why the message cannot be sent. */
  readonly blocked: Refusal | null
  readonly isBusy: boolean
  /** Attached or uploading. */
  readonly fileCount: number
  /** Why the selected mode is not used. */
  readonly fallbackReason: Refusal | null
  readonly editing: Editing | null
  /** The form replaces the edited message, and has a button to cancel. */
  readonly isInPlace: boolean
  readonly me: Me | undefined
  /** Another part of the page shows the remaining credits. */
  readonly isCountShown: boolean
  readonly onChooseModel: () => void
  readonly onChooseChat: () => void
  readonly onCancelEdit: () => void
}

export function Notices(props: NoticesProps) {
  const { sender, blocked, isBusy, fileCount, fallbackReason, editing, me, isCountShown, onChooseModel, onChooseChat, onCancelEdit } = props
  useProblemEnd(sender, { blockedCode: blocked?.code, isBusy, fileCount, editedId: editing?.messageId })
  const { problem, restore, clearProblem } = sender
  const nowMs = useServerNow()
  // Not repeated while the problem notice shows the same refusal.
  const isShownAsProblem = ({ code }: Refusal) => problem?.refusal.code === code
  const earlyRefusal = blocked && shownBeforeSending.has(blocked.code) && !isShownAsProblem(blocked) ? blocked : null
  // The text of `credits_short` contains the remaining credits.
  const hasCount = isCountShown || earlyRefusal?.code === 'credits_short'
  const exhausted = me && creditRefusal(me.plan, me.usage, 1, nowMs)
  const banner = me && usageBanner(creditState(me.plan, me.usage, nowMs), hasCount, nowMs, exhausted)
  return (
    <>
      <StorageNotice />
      {problem ? (
        <Notice
          tone={ruleOf(problem.refusal.code).tone ?? 'danger'}
          isUrgent
          action={
            problem.unsent ? (
              <Button size="sm" onClick={restore}>
                {t('restore')}
              </Button>
            ) : (
              <RefusalAction code={problem.refusal.code} plan={me?.plan} onChooseModel={onChooseModel} />
            )
          }
          dismiss={{ label: t('dismiss'), onClick: clearProblem }}
        >
          {problemText(problem, props, nowMs)}
        </Notice>
      ) : (
        banner &&
        !editing && (
          <Notice
            tone={banner.isExhausted ? 'warning' : 'neutral'}
            action={<RefusalAction code={exhausted?.code ?? 'credits_exhausted'} plan={me.plan} onChooseModel={onChooseModel} />}
          >
            {banner.text}
          </Notice>
        )
      )}
      {fallbackReason && !isShownAsProblem(fallbackReason) && (
        <Notice
          tone="warning"
          action={<RefusalAction code={fallbackReason.code} plan={me?.plan} onChooseModel={onChooseModel} />}
          dismiss={{ label: t('dismiss'), onClick: onChooseChat }}
        >
          {sentWithoutText(fallbackReason, nowMs)}
        </Notice>
      )}
      {earlyRefusal && (
        <Notice tone="warning" action={<RefusalAction code={earlyRefusal.code} plan={me?.plan} onChooseModel={onChooseModel} />}>
          {refusalMessage(earlyRefusal, nowMs)}
        </Notice>
      )}
      {editing && !props.isInPlace && <Notice dismiss={{ label: t('cancelEditing'), onClick: onCancelEdit }}>{t('editing')}</Notice>}
    </>
  )
}

/** The storage notice that the user dismissed; shown again after a reload. */
const dismissedNotice = createStore<string | null>(null)

export function storageNotice(health: StorageHealth): string | null {
  if (storesEverything(health)) return null
  if (health.storesRows) return libText('draftsNotSaved')
  return libText(health.storesTexts ? 'threadsNotStored' : 'nothingStored')
}

function StorageNotice() {
  const text = storageNotice(useStore(storageHealth))
  const isDismissed = useStore(dismissedNotice) === text
  if (text === null || isDismissed) return null
  return (
    <Notice tone="warning" dismiss={{ label: t('dismiss'), onClick: () => dismissedNotice.set(text) }}>
      {text}
    </Notice>
  )
}

type UsageBanner = {
  readonly text: string
  readonly isExhausted: boolean
}

export const refusalMessage = (refused: AnyRefusal, nowMs: number): string => withResetTime(refused.code, refusalSentence(refused), nowMs)

/** Some refusals are short reasons without a final period. */
const withPeriod = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

/** Explains why a message is sent without the chosen search or research. */
export const sentWithoutText = (reason: Refusal, nowMs: number): string =>
  t('sentWithout', { reason: withPeriod(refusalMessage(reason, nowMs)) })

type Problem = NonNullable<Sender['problem']>
type CurrentRefusals = Pick<NoticesProps, 'blocked' | 'fallbackReason'>

export function problemText(problem: Problem, current: CurrentRefusals, nowMs: number): string {
  const text = textWithCurrentValues(problem, current, nowMs)
  return problem.unsent ? `${withPeriod(text)} ${t('messageKept')}` : text
}

/** The current refusal has newer values than the one that was reported. */
function textWithCurrentValues({ refusal: reported, text }: Problem, { blocked, fallbackReason }: CurrentRefusals, nowMs: number): string {
  if (fallbackReason?.code === reported.code) return sentWithoutText(fallbackReason, nowMs)
  if (blocked?.code === reported.code) return refusalMessage(blocked, nowMs)
  return text ?? refusalMessage(reported, nowMs)
}

/** `isCountShown`: another part of the page shows the remaining credits. `exhausted`: why there are none. */
export function usageBanner(
  { left, warn }: CreditState,
  isCountShown: boolean,
  nowMs: number,
  exhausted: Refusal | null = null,
): UsageBanner | null {
  const isExhausted = left === 0
  if (!warn || (isCountShown && !isExhausted)) return null
  return {
    text: isExhausted ? refusalMessage(exhausted ?? refusal('credits_exhausted'), nowMs) : firstPaintText('creditsLeft', { credits: left }),
    isExhausted,
  }
}

/** Refusals shown before sending, because nothing else on screen explains them. */
const shownBeforeSending: ReadonlySet<RefusalCode> = new Set([
  'message_too_long',
  'message_over_budget',
  'credits_short',
  'credits_above_day',
  'turn_credits_short',
  'content_full',
] as const)
