/** Selects the notice above the text: the latest failure first, then the state of the composer, then the daily credits. */
import { type CreditState, creditState } from '../../../../worker/contract/access.ts'
import { type Refusal, refusal } from '../../../../worker/contract/errors.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { lazyPart } from '../../../lib/lazy-part.ts'
import type { AnyRefusal } from '../../../lib/refusals/sending-sentence.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { type StorageHealth, storageHealth, storesEverything } from '../../../lib/storage-health.ts'
import { createStore, useStore } from '../../../lib/store.ts'
import { libText } from '../../../lib/texts/en.ts'
import type { Me } from '../../../sync/rows.ts'
import { Button } from '../../../ui/button.tsx'
import type { Editing } from './drafts.ts'
import { modeRefusals } from './mode-problem.ts'
import { Notice } from './notice.tsx'
import { withResetTime } from './refusal-text.ts'
import { t } from './texts/en.ts'
import { useProblemEnd } from './use-problem-end.ts'
import type { Sender } from './use-sender.ts'

const RefusalAction = lazyPart(() => import('./refusal-action.tsx').then((module) => module.RefusalAction))

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
  // Shown before an attempt to send, because nothing else on screen explains it. A refused attempt shows it as an alert instead.
  const isShown = ({ code }: Refusal) => problem?.refusal.code === code
  const earlyRefusal = blocked && isShownBeforeSending(blocked.code) && !isShown(blocked) ? blocked : null
  // The reason that credits are short contains their number.
  const hasCount = isCountShown || earlyRefusal?.code === 'credits_short'
  const banner = me && usageBanner(creditState(me.plan, me.usage, nowMs), hasCount, nowMs)
  return (
    <>
      <StorageNotice />
      {problem ? (
        <Notice
          tone={toneOf(problem.refusal.code)}
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
          {fallbackReason && isShown(fallbackReason)
            ? sendsAsChatText(fallbackReason, nowMs)
            : // The current state of the problem.
              blocked && isShown(blocked)
              ? refusalText(blocked, nowMs)
              : (problem.text ?? refusalText(problem.refusal, nowMs))}
          {problem.unsent && ` ${t('messageKept')}`}
        </Notice>
      ) : (
        banner &&
        !editing && (
          <Notice
            tone={banner.isExhausted ? 'warning' : 'neutral'}
            action={<RefusalAction code="credits_exhausted" plan={me.plan} onChooseModel={onChooseModel} />}
          >
            {banner.text}
          </Notice>
        )
      )}
      {fallbackReason && !isShown(fallbackReason) && (
        <Notice
          tone="warning"
          action={<RefusalAction code={fallbackReason.code} plan={me?.plan} onChooseModel={onChooseModel} />}
          dismiss={{ label: t('switchToChat'), onClick: onChooseChat }}
        >
          {sendsAsChatText(fallbackReason, nowMs)}
        </Notice>
      )}
      {earlyRefusal && (
        <Notice tone="warning" action={<RefusalAction code={earlyRefusal.code} plan={me?.plan} onChooseModel={onChooseModel} />}>
          {refusalText(earlyRefusal, nowMs)}
        </Notice>
      )}
      {editing && <Notice dismiss={{ label: t('cancelEditing'), onClick: onCancelEdit }}>{t('editing')}</Notice>}
    </>
  )
}

/** The notice of the storage that the user has dismissed in this tab. */
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

export const refusalText = (refused: AnyRefusal, nowMs: number): string => withResetTime(refused.code, refusalSentence(refused), nowMs)

/** Explains why a message is sent as Chat instead of in the selected mode. */
export const sendsAsChatText = (reason: Refusal, nowMs: number): string =>
  t('sentAsChat', { reason: refusalText(reason, nowMs).replace(/(?<!\.)$/, '.') })

/** `isCountShown`: another part of the page shows the remaining credits. */
export function usageBanner({ left, warn }: CreditState, isCountShown: boolean, nowMs: number): UsageBanner | null {
  const isExhausted = left === 0
  if (!warn || (isCountShown && !isExhausted)) return null
  return {
    text: isExhausted ? refusalText(refusal('credits_exhausted'), nowMs) : firstPaintText('creditsLeft', { credits: left }),
    isExhausted,
  }
}

/** Codes: the selected model cannot read the attachments. */
const unreadableFileCodes: readonly string[] = ['images_unsupported', 'documents_unsupported']

/** Refusals shown before sending, because nothing else on screen explains them. */
const isShownBeforeSending = (code: string): boolean =>
  [...unreadableFileCodes, 'message_too_long', 'message_over_budget', 'credits_short', 'content_full'].includes(code)

/** Refusals of files. The user resolves them by choosing another file or model, or by waiting. */
const fileCodes = [...unreadableFileCodes, 'files_uploading', 'too_many_files', 'file_type', 'file_too_large', 'file_empty']

/** Red means failure. Waiting and correctable problems are not red. */
function toneOf(code: string): 'neutral' | 'warning' | 'danger' {
  if (code === 'thread_busy') return 'neutral'
  return warnings.has(code) ? 'warning' : 'danger'
}

const warnings: ReadonlySet<string> = new Set([
  ...fileCodes,
  'account_required',
  'premium_required',
  'credits_exhausted',
  'guest_limit_reached',
  'credits_short',
  'no_model',
  'message_too_long',
  'message_over_budget',
  'content_full',
  'mutation_limit_reached',
  ...modeRefusals,
])
