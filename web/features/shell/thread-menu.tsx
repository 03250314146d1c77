/** The actions on a thread: the same menu on its row and in the floating bar. */
import { Ellipsis, PenLine, Trash2 } from 'lucide-react'
import type { ThreadRow } from '../../sync/rows.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { renaming } from './renaming.tsx'
import { useThreadActions } from './use-thread-actions.ts'

type ThreadMenuProps = { readonly thread: ThreadRow; readonly size?: 'sm' | 'md'; readonly className?: string }

export function ThreadMenu({ thread, size = 'sm', className }: ThreadMenuProps) {
  const { remove } = useThreadActions()
  return (
    <Menu
      label="Thread"
      trigger={(props) => (
        <IconButton
          {...props}
          label={`More for ${thread.title || 'an untitled thread'}`}
          hint="Rename or delete"
          size={size}
          className={className}
        >
          <Ellipsis />
        </IconButton>
      )}
    >
      <MenuItem icon={<PenLine />} onSelect={() => renaming.set({ id: thread.id, title: thread.title ?? '' })}>
        Rename
      </MenuItem>
      <MenuItem icon={<Trash2 />} danger onSelect={() => remove(thread)}>
        Delete
      </MenuItem>
    </Menu>
  )
}
