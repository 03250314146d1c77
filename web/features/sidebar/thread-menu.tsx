/** What can be done with a thread: the same menu on its row and in the floating bar. */
import { Ellipsis, PenLine, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { later } from '../../lib/later.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useThreadActions } from './use-thread-actions.ts'

const RenameDialog = later(() => import('./rename-dialog.tsx').then((module) => module.RenameDialog))

type ThreadMenuProps = { readonly thread: ThreadRow; readonly size?: 'sm' | 'md'; readonly className?: string }

export function ThreadMenu({ thread, size = 'sm', className }: ThreadMenuProps) {
  const { rename, remove } = useThreadActions()
  const [isRenaming, setRenaming] = useState(false)
  return (
    <>
      <Menu
        label="Thread"
        align="start"
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
        <MenuItem icon={<PenLine />} onSelect={() => setRenaming(true)}>
          Rename
        </MenuItem>
        <MenuItem icon={<Trash2 />} danger onSelect={() => remove(thread)}>
          Delete
        </MenuItem>
      </Menu>
      {isRenaming && (
        <Suspense>
          <RenameDialog title={thread.title ?? ''} onRename={(title) => rename(thread.id, title)} onClose={() => setRenaming(false)} />
        </Suspense>
      )}
    </>
  )
}
