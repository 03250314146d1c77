/** The less frequent actions on a message. */
import { Coins, Ellipsis, FileText, GitFork, Quote, Trash2 } from 'lucide-react'
import { libText } from '../../../lib/texts/en.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { t } from './texts/en.ts'
import type { Turn } from './turns.ts'
import { isWholeThread, type TurnActions } from './use-turn-actions.ts'

type MessageMenuProps = {
  readonly turn: Exclude<Turn, { kind: 'live' }>
  readonly actions: TurnActions
  readonly busyReason: string | undefined
  readonly align: 'start' | 'end'
  /** Absent for messages without details. */
  readonly onDetails?: () => void
}

export function MessageMenu({ turn, actions, busyReason, align, onDetails }: MessageMenuProps) {
  const { fork } = actions
  return (
    <Menu
      label={t('message')}
      placement={`bottom-${align}`}
      trigger={(props) => (
        <IconButton {...props} size="sm" label={t('moreForMessage')} hint={t('moreHint')}>
          <Ellipsis />
        </IconButton>
      )}
    >
      <MenuItem icon={<Quote />} onSelect={() => actions.quote(turn)}>
        {libText('quote')}
      </MenuItem>
      {fork && (
        <MenuItem icon={<GitFork />} onSelect={() => fork(turn)}>
          {t('fork')}
        </MenuItem>
      )}
      <MenuItem icon={<FileText />} onSelect={() => actions.copyThread(turn)}>
        {t('copyThreadHere')}
      </MenuItem>
      {onDetails && (
        <MenuItem icon={<Coins />} onSelect={onDetails}>
          {t('details')}
        </MenuItem>
      )}
      <MenuItem icon={<Trash2 />} danger disabledReason={busyReason} onSelect={() => actions.remove(turn)}>
        {isWholeThread(turn) ? t('deleteThread') : turn.hasMoreBelow ? t('deleteFromHere') : libText('delete')}
      </MenuItem>
    </Menu>
  )
}
