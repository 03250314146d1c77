/** The actions on a thread: the same menu on its row and in the header of the thread. */
import { Ellipsis } from 'lucide-react'
import { lazyPart } from '../../lib/lazy-part.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { t } from './texts/en.ts'

export const ThreadMenuItems = lazyPart(() => import('./thread-menu-items.tsx').then((module) => module.ThreadMenuItems))

type ThreadMenuProps = { readonly thread: ThreadRow; readonly className?: string }

export function ThreadMenu({ thread, className }: ThreadMenuProps) {
  return (
    <Menu
      label={t('thread')}
      trigger={(props) => (
        <IconButton
          {...props}
          label={thread.title ? t('moreFor', { title: thread.title }) : t('moreForUntitled')}
          description={t('threadMenuDescription')}
          size="sm"
          className={className}
        >
          <Ellipsis />
        </IconButton>
      )}
    >
      <ThreadMenuItems thread={thread} place="sidebar" />
    </Menu>
  )
}
