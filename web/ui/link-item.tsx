/** A shared link in a list, with buttons that copy and revoke it. Revoking is confirmed, because it cannot be undone. */
import { useState } from 'react'
import { ageText, minuteMs } from '../lib/i18n/format-age.ts'
import { formatDate } from '../lib/i18n/format-dates.ts'
import { useMomentsPassed } from '../lib/moments.ts'
import { useServerNow } from '../lib/server-clock.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { ConfirmDialog } from './dialog.tsx'
import { t } from './texts/en.ts'

type LinkItemProps = {
  /** Absent: the time at which the link was created. */
  readonly title?: string
  readonly url: string
  readonly link: {
    readonly createdAt: number
    readonly expiresAt?: number | null
    readonly name?: string | null
    readonly isThreadDeleted: boolean
  }
  /** The server has not revoked the link yet, and its page can still be open. */
  readonly isRevoking: boolean
  readonly onRevoke: () => void
}

export function LinkItem({ title, url, link, isRevoking, onRevoke }: LinkItemProps) {
  const { createdAt, expiresAt, name: shownName, isThreadDeleted } = link
  const [isConfirming, setConfirming] = useState(false)
  useMomentsPassed([createdAt + minuteMs, ...(expiresAt == null ? [] : [expiresAt])])
  const nowMs = useServerNow()
  const created = createdText(createdAt, nowMs)
  const name = title ?? created
  const note = [...(title === undefined ? [] : [created]), isThreadDeleted ? t('threadDeleted') : endOf(expiresAt, nowMs), shownName]
  const revoke = () => {
    setConfirming(false)
    onRevoke()
  }
  return (
    <li className="flex items-center gap-2 py-2.5 pr-3 pl-4">
      <div className="min-w-0 flex-1">
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          dir="auto"
          className="block truncate rounded-sm font-medium underline-offset-4 hover:underline"
        >
          {name}
        </a>
        <p className="text-xs wrap-anywhere text-muted-foreground text-pretty">
          {isRevoking ? t('revoking') : note.filter(Boolean).join(' · ')}
        </p>
      </div>
      <CopyButton label={t('copyNamed', { name })} text={() => url} />
      <Button size="sm" aria-label={t('revokeNamed', { name })} pending={isRevoking} onClick={() => setConfirming(true)}>
        {t('revoke')}
      </Button>
      <ConfirmDialog
        open={isConfirming}
        title={t('revokeTitle')}
        text={t('revokeQuestion')}
        action={t('revoke')}
        variant="danger"
        onConfirm={revoke}
        onClose={() => setConfirming(false)}
      />
    </li>
  )
}

/** "Created 2 days ago"; from one week on, with the date. */
export const createdText = (atMs: number, nowMs: number): string =>
  ageText(atMs, nowMs, {
    justNow: () => t('createdJustNow'),
    age: (age) => t('createdAge', { age }),
    date: (date) => t('createdOn', { date }),
  })

const endOf = (expiresAt: number | null | undefined, nowMs: number): string =>
  expiresAt == null ? t('neverExpires') : t(expiresAt > nowMs ? 'expires' : 'expired', { date: formatDate(expiresAt, 'medium') })
