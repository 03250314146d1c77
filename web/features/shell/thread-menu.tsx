/** The actions on a thread: the same menu on its row and in the floating bar. */
import { Archive, ArchiveRestore, Ellipsis, FolderInput, PenLine, Pin, PinOff, Trash2 } from 'lucide-react'
import type { ThreadRow } from '../../sync/rows.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { moving } from './moving.tsx'
import { renaming } from './renaming.tsx'
import { useThreadActions } from './use-thread-actions.ts'

type ThreadMenuProps = { readonly thread: ThreadRow; readonly size?: 'sm' | 'md'; readonly className?: string }

export function ThreadMenu({ thread, size = 'sm', className }: ThreadMenuProps) {
  const { remove, pin, archive } = useThreadActions()
  return (
    <Menu
      label="Thread"
      trigger={(props) => (
        <IconButton
          {...props}
          label={`More for ${thread.title || 'an untitled thread'}`}
          hint="Pin, rename, move, archive or delete"
          size={size}
          className={className}
        >
          <Ellipsis />
        </IconButton>
      )}
    >
      <MenuItem icon={thread.pinnedAt == null ? <Pin /> : <PinOff />} onSelect={() => pin(thread)}>
        {thread.pinnedAt == null ? 'Pin' : 'Unpin'}
      </MenuItem>
      <MenuItem icon={<PenLine />} onSelect={() => renaming.set({ id: thread.id, title: thread.title ?? '' })}>
        Rename
      </MenuItem>
      <MenuItem icon={<FolderInput />} onSelect={() => moving.set(thread)}>
        Move to project…
      </MenuItem>
      <MenuItem icon={thread.archivedAt == null ? <Archive /> : <ArchiveRestore />} onSelect={() => archive(thread)}>
        {thread.archivedAt == null ? 'Archive' : 'Restore from archive'}
      </MenuItem>
      <MenuItem icon={<Trash2 />} danger onSelect={() => remove(thread)}>
        Delete
      </MenuItem>
    </Menu>
  )
}
