/** The less frequent actions on a message. */
import { Check, Coins, Ellipsis, FileText, GitFork, Quote, Trash2 } from 'lucide-react'
import { libText } from '../../../lib/texts/en.ts'
import { useCopied } from '../../../ui/copy-button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import type { ShownMessage } from './shown-messages.ts'
import { t } from './texts/en.ts'
import { isWholeThread, type MessageActions } from './use-message-actions.ts'

type MessageMenuProps = {
  readonly shown: Exclude<ShownMessage, { kind: 'live' }>
  readonly actions: MessageActions
  readonly busyReason: string | undefined
  readonly align: 'start' | 'end'
  /** Absent for messages without details. */
  readonly onDetails?: () => void
}

export function MessageMenu({ shown, actions, busyReason, align, onDetails }: MessageMenuProps) {
  const { fork } = actions
  const [isCopied, showCopied] = useCopied()
  const copyThread = async () => {
    if (await actions.copyThread(shown)) showCopied()
  }
  return (
    <>
      <Menu
        label={t('message')}
        placement={`bottom-${align}`}
        trigger={(props) => (
          <IconButton {...props} size="sm" label={t('moreForMessage')} description={t('moreDescription')}>
            {isCopied ? <Check /> : <Ellipsis />}
          </IconButton>
        )}
      >
        <MenuItem icon={<Quote />} onSelect={() => actions.quote(shown)}>
          {libText('quote')}
        </MenuItem>
        {fork && (
          <MenuItem icon={<GitFork />} onSelect={() => fork(shown)}>
            {t('fork')}
          </MenuItem>
        )}
        <MenuItem icon={<FileText />} onSelect={() => void copyThread()}>
          {t('copyThreadHere')}
        </MenuItem>
        {onDetails && (
          <MenuItem icon={<Coins />} onSelect={onDetails}>
            {t('details')}
          </MenuItem>
        )}
        <MenuItem icon={<Trash2 />} danger disabledReason={busyReason} onSelect={() => actions.remove(shown)}>
          {isWholeThread(shown) ? t('deleteThread') : shown.hasMoreBelow ? t('deleteFromHere') : libText('delete')}
        </MenuItem>
      </Menu>
      <span role="status" className="sr-only">
        {isCopied && t('copied')}
      </span>
    </>
  )
}
