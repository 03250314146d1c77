/** A link in a list, with buttons that copy and revoke it. Revoking is confirmed, because it cannot be undone. */
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { ConfirmDialog } from './dialog.tsx'
import { t } from './texts/t.ts'

type LinkItemProps = {
  /** For the names of the buttons. */
  readonly name: string
  readonly url: string
  readonly note: ReactNode
  readonly onRevoke: () => void
}

export function LinkItem({ name, url, note, onRevoke }: LinkItemProps) {
  const [isAsking, setAsking] = useState(false)
  const revoke = () => {
    setAsking(false)
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
        <p className="truncate text-xs text-muted-foreground">{note}</p>
      </div>
      <CopyButton label={t('copyLinkNamed', { name })} text={() => url} />
      <Button size="sm" aria-label={t('revokeLinkNamed', { name })} onClick={() => setAsking(true)}>
        {t('revokeLink')}
      </Button>
      <ConfirmDialog
        open={isAsking}
        title={t('revokeLinkTitle')}
        text={t('revokeLinkQuestion')}
        action={t('revokeLink')}
        variant="danger"
        onConfirm={revoke}
        onClose={() => setAsking(false)}
      />
    </li>
  )
}
