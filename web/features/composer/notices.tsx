/** Which line stands above the text: what just went wrong first, then what the composer is doing, then the day's credits. */
import { creditState } from '../../../worker/contract/access.ts'
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
  readonly editing: Editing | null
  readonly me: Me | undefined
  readonly onCancelEdit: () => void
}

export function Notices({ sender, editing, me, onCancelEdit }: NoticesProps) {
  const { problem, restore, clearProblem } = sender
  const nowMs = Date.now()
  const banner = me && usageBanner(me.plan, creditState(me.plan, me.usage, nowMs), nowMs)
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
              <WayOut code={problem.refusal.code} plan={me?.plan} />
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
          <Notice tone={banner.isExhausted ? 'warning' : 'neutral'} wayOut={<WayOut code="credits_exhausted" plan={me.plan} />}>
            {banner.text}
          </Notice>
        )
      )}
      {editing && <Notice dismiss={{ label: 'Cancel editing', onClick: onCancelEdit }}>Editing message</Notice>}
    </>
  )
}

/** Something to be chosen or waited for. */
const aboutFiles = [
  'images_unsupported',
  'documents_unsupported',
  'files_uploading',
  'too_many_files',
  'file_type',
  'file_too_large',
  'file_empty',
]

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
