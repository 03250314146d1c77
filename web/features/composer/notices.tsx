/** Which line stands above the text: what just went wrong first, then what the composer is doing, then the day's credits. */
import { creditState } from '../../../worker/contract/access.ts'
import type { Refusal } from '../../../worker/contract/errors.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import type { Editing } from '../../stores/drafts.ts'
import type { Me } from '../../sync/rows.ts'
import { Button } from '../../ui/button.tsx'
import { exhaustedText, usageBanner } from './banner.ts'
import { modeRefusals } from './mode-refusals.ts'
import { Notice } from './notice.tsx'
import type { Sender } from './use-sender.ts'
import { WayOut } from './way-out.tsx'

type NoticesProps = {
  readonly sender: Sender
  /** What stands in the way of sending. */
  readonly blocked: Refusal | null
  readonly editing: Editing | null
  readonly me: Me | undefined
  readonly onChooseModel: () => void
  readonly onCancelEdit: () => void
}

export function Notices({ sender, blocked, editing, me, onChooseModel, onCancelEdit }: NoticesProps) {
  const { problem, restore, clearProblem } = sender
  const nowMs = serverNowMs()
  const banner = me && usageBanner(me.plan, creditState(me.plan, me.usage, nowMs), nowMs)
  // Said before anybody tries to send, because nothing in sight explains it; whoever tries is told so at once, in its place.
  const unread = blocked && isAboutUnread(blocked.code) && problem?.refusal.code !== blocked.code ? blocked : null
  return (
    <>
      {problem ? (
        <Notice
          tone={toneOf(problem.refusal.code)}
          isUrgent
          wayOut={
            problem.unsent ? (
              <Button size="sm" onClick={restore}>
                Restore
              </Button>
            ) : (
              <WayOut code={problem.refusal.code} plan={me?.plan} onChooseModel={onChooseModel} />
            )
          }
          dismiss={{ label: 'Dismiss', onClick: clearProblem }}
        >
          {problem.refusal.code === 'credits_exhausted' ? exhaustedText(nowMs) : problem.refusal.message}
          {problem.unsent && ' Your message was kept.'}
        </Notice>
      ) : (
        banner &&
        !editing && (
          <Notice
            tone={banner.isExhausted ? 'warning' : 'neutral'}
            wayOut={<WayOut code="credits_exhausted" plan={me.plan} onChooseModel={onChooseModel} />}
          >
            {banner.text}
          </Notice>
        )
      )}
      {unread && (
        <Notice tone="warning" wayOut={<WayOut code={unread.code} plan={me?.plan} onChooseModel={onChooseModel} />}>
          {unread.message}
        </Notice>
      )}
      {editing && <Notice dismiss={{ label: 'Cancel editing', onClick: onCancelEdit }}>Editing message</Notice>}
    </>
  )
}

/** The chosen model cannot read what is attached. */
const aboutUnread: readonly string[] = ['images_unsupported', 'documents_unsupported']
const isAboutUnread = (code: string): boolean => aboutUnread.includes(code)

/** Something to be chosen or waited for. */
const aboutFiles = [...aboutUnread, 'files_uploading', 'too_many_files', 'file_type', 'file_too_large', 'file_empty']

/** Red is for what went wrong, not for what merely has to wait or be chosen differently. */
function toneOf(code: string): 'neutral' | 'warning' | 'danger' {
  if (code === 'thread_busy') return 'neutral'
  return warnings.has(code) ? 'warning' : 'danger'
}

const warnings: ReadonlySet<string> = new Set([
  ...aboutFiles,
  ...['account_required', 'premium_required', 'credits_exhausted', 'no_model', 'message_too_long'],
  ...modeRefusals,
])
