/** The less frequent actions on a message. */
import { Coins, Ellipsis, FileText, GitFork, Trash2 } from 'lucide-react'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
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
  return (
    <Menu
      label="Message"
      placement={`bottom-${align}`}
      trigger={(props) => (
        <IconButton {...props} size="sm" label="More for this message" hint="Fork, copy or delete">
          <Ellipsis />
        </IconButton>
      )}
    >
      <MenuItem icon={<GitFork />} onSelect={() => actions.fork(turn)}>
        Fork from here
      </MenuItem>
      <MenuItem icon={<FileText />} onSelect={() => actions.copyThread(turn)}>
        Copy thread up to here
      </MenuItem>
      {onDetails && (
        <MenuItem icon={<Coins />} onSelect={onDetails}>
          Details
        </MenuItem>
      )}
      <MenuItem icon={<Trash2 />} danger disabledReason={busyReason} onSelect={() => actions.remove(turn)}>
        {isWholeThread(turn) ? 'Delete thread' : turn.hasMoreBelow ? 'Delete from here' : 'Delete'}
      </MenuItem>
    </Menu>
  )
}
