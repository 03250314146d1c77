import { useNavigate } from '@tanstack/react-router'
import { neighbourOf } from '../../../worker/contract/thread-groups.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { useStore } from '../../lib/store.ts'
import { useThreadList } from '../../sync/hooks.ts'
import { toggleSidebar } from './sidebar-state.ts'
import { threadWindow } from './thread-window.ts'

/** Shortcuts for the sidebar and for the previous and next thread in the order of the list. */
export function useShellShortcuts(openThreadId: string | undefined): void {
  const navigate = useNavigate()
  const { threads } = useThreadList(useStore(threadWindow))
  const goTo = (step: 1 | -1) => {
    const threadId = neighbourOf(
      threads.map(({ id }) => id),
      openThreadId,
      step,
    )
    if (threadId) void navigate({ to: '/$threadId', params: { threadId } })
  }
  useShortcuts({ sidebar: toggleSidebar, previousThread: () => goTo(-1), nextThread: () => goTo(1) })
}
