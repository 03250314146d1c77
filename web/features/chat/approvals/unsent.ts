/** A notice that the typed text was not sent, if a decision of another device ends the card. It offers to copy the text. */
import { useEffect, useRef } from 'react'
import { copyText } from '../../../lib/clipboard.ts'
import { useApprovalState } from '../../../sync/approvals.ts'
import type { ApprovalRow } from '../../../sync/rows.ts'
import { toast } from '../../../ui/toaster.tsx'
import { t } from './texts/en.ts'

/** Ids of the approvals that this page decided. */
export const decidedHere = new Set<string>()

/** Chosen: long enough to notice and press. */
const noticeMs = 30_000

/** `typed`: empty if nothing is typed. */
export function useUnsentNotice(approval: ApprovalRow, typed: string): void {
  const stateOf = useApprovalState()
  const leave = async () => {
    if (typed === '' || decidedHere.has(approval.id)) return
    const state = await stateOf(approval)
    // The user only left the thread.
    if (state === undefined || state === 'pending') return
    const name = approval.form ? approval.source.name : approval.title
    const show = () =>
      toast('info', t(state === 'allowed' ? 'unsentDecided' : 'unsentEnded', { name }), {
        description: typed,
        durationMs: noticeMs,
        // Where the browser denies copying, the text is shown again.
        action: { label: t('copyTyped'), onClick: () => void copyText(typed).then((isCopied) => isCopied || show()) },
      })
    show()
  }
  const leaveRef = useRef(leave)
  useEffect(() => {
    leaveRef.current = leave
  })
  useEffect(() => () => void leaveRef.current(), [])
}
