/** Palette commands: a new thread, and the menu of the open one. */
import { useMatches, useNavigate, useParams } from '@tanstack/react-router'
import { Archive, FolderInput, Folders, Keyboard, PanelLeft, PenLine, Pin, SquarePen, Trash2 } from 'lucide-react'
import { openOverlay } from '../../lib/overlays.ts'
import { pageShortcuts } from '../../lib/shortcut-table.ts'
import { useThread } from '../../sync/thread.ts'
import type { Command } from '../../ui/command.ts'
import { chordOf } from '../../ui/kbd.tsx'
import { moving } from './moving.tsx'
import { renaming } from './renaming.tsx'
import { toggleSidebar } from './sidebar-state.ts'
import { useThreadActions } from './use-thread-actions.ts'

export function useShellCommands(): readonly Command[] {
  const navigate = useNavigate()
  const hasSidebar = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId === '/_live/_app') })
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
      id: 'projects',
      title: 'Projects',
      words: 'folder',
      icon: <Folders aria-hidden="true" />,
      run: () => void navigate({ to: '/projects' }),
    },
    {
      id: 'archive',
      title: 'Archived threads',
      words: 'archive',
      icon: <Archive aria-hidden="true" />,
      run: () => void navigate({ to: '/archive' }),
    },
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
  const { remove, pin, archive } = useThreadActions()
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
      id: 'pin',
      title: thread.pinnedAt == null ? 'Pin thread' : 'Unpin thread',
      icon: <Pin aria-hidden="true" />,
      run: () => pin(thread),
    },
    {
      id: 'move',
      title: 'Move thread to a project',
      words: 'folder',
      icon: <FolderInput aria-hidden="true" />,
      run: () => moving.set(thread),
    },
    {
      id: 'archive-thread',
      title: thread.archivedAt == null ? 'Archive thread' : 'Restore thread from the archive',
      icon: <Archive aria-hidden="true" />,
      run: () => archive(thread),
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
