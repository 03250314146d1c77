/** Palette commands: a new thread, and the menu of the open one. */
import { useMatchRoute, useNavigate, useParams } from '@tanstack/react-router'
import { Keyboard, PanelLeft, PenLine, SquarePen, Trash2 } from 'lucide-react'
import { openOverlay } from '../../lib/overlays.ts'
import { pageShortcuts } from '../../lib/shortcut-table.ts'
import { useThread } from '../../sync/thread.ts'
import type { Command } from '../../ui/command.ts'
import { chordOf } from '../../ui/kbd.tsx'
import { renaming } from './renaming.tsx'
import { toggleSidebar } from './sidebar-state.ts'
import { useThreadActions } from './use-thread-actions.ts'

export function useShellCommands(): readonly Command[] {
  const navigate = useNavigate()
  const matchRoute = useMatchRoute()
  const hasSidebar = Boolean(matchRoute({ to: '/' }) || matchRoute({ to: '/$threadId' }))
  const { newThread, sidebar, help } = pageShortcuts
  return [
    {
      id: 'new',
      title: newThread.does,
      words: 'chat conversation',
      icon: <SquarePen aria-hidden="true" />,
      keys: chordOf(newThread),
      run: () => void navigate({ to: '/' }),
    },
    ...(hasSidebar
      ? [{ id: 'sidebar', title: sidebar.does, icon: <PanelLeft aria-hidden="true" />, keys: chordOf(sidebar), run: toggleSidebar }]
      : []),
    {
      id: 'help',
      title: help.does,
      words: 'hotkeys help',
      icon: <Keyboard aria-hidden="true" />,
      keys: chordOf(help),
      run: () => openOverlay('shortcuts'),
    },
  ]
}

export function useThreadMenuCommands(): readonly Command[] {
  const threadId = useParams({ strict: false, select: (params) => params.threadId })
  const { thread } = useThread(threadId)
  const { remove } = useThreadActions()
  if (!thread) return []
  return [
    {
      id: 'rename',
      title: 'Rename thread',
      words: 'title',
      icon: <PenLine aria-hidden="true" />,
      run: () => renaming.set({ id: thread.id, title: thread.title ?? '' }),
    },
    {
      id: 'delete',
      title: 'Delete thread',
      words: 'remove',
      icon: <Trash2 aria-hidden="true" />,
      isDanger: true,
      run: () => remove(thread),
    },
  ]
}
