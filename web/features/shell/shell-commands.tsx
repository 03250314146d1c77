/** Palette commands: a new thread, and the menu of the open one. */
import { useNavigate } from '@tanstack/react-router'
import {
  Archive,
  Bookmark,
  FolderInput,
  FolderMinus,
  Folders,
  Keyboard,
  MessageCircleDashed,
  PanelLeft,
  PenLine,
  Pin,
  Plus,
  Share,
  SquarePen,
  Trash2,
} from 'lucide-react'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { useOpenNewThread, useOpenThreadId } from '../../lib/navigation.ts'
import { openOverlay } from '../../lib/overlays.ts'
import { pageShortcuts } from '../../lib/shortcuts.ts'
import { libText } from '../../lib/texts/en.ts'
import { hasKeyboard } from '../../lib/viewport.ts'
import { useProjects } from '../../sync/organise.ts'
import { useThread } from '../../sync/thread.ts'
import type { Command } from '../../ui/command.ts'
import { chordOf } from '../../ui/kbd.tsx'
import { ProjectIcon } from '../../ui/project-icon.tsx'
import { toggleSidebar } from './sidebar-state.ts'
import { t } from './texts/en.ts'
import { moving, sharing, startRenaming } from './thread-dialogs.tsx'
import { useThreadActions } from './use-thread-actions.ts'

export function useShellCommands(): readonly Command[] {
  const navigate = useNavigate()
  const openNewThread = useOpenNewThread()
  const { newThread, temporary, sidebar, help } = pageShortcuts
  return [
    {
      id: 'new',
      title: libText(newThread.descriptionKey),
      words: t('newThreadWords'),
      icon: <SquarePen aria-hidden="true" />,
      keys: chordOf(newThread),
      run: () => openNewThread(),
    },
    {
      id: 'temporary',
      title: libText(temporary.descriptionKey),
      words: t('temporaryWords'),
      icon: <MessageCircleDashed aria-hidden="true" />,
      keys: chordOf(temporary),
      run: () => openNewThread({ temporary: true }),
    },
    ...(hasKeyboard()
      ? [
          {
            id: 'sidebar',
            title: libText(sidebar.descriptionKey),
            icon: <PanelLeft aria-hidden="true" />,
            keys: chordOf(sidebar),
            run: toggleSidebar,
          },
        ]
      : []),
    {
      id: 'projects',
      title: firstPaintText('projects'),
      words: t('folderWords'),
      icon: <Folders aria-hidden="true" />,
      run: () => void navigate({ to: '/projects' }),
    },
    {
      id: 'bookmarks',
      title: t('bookmarks'),
      words: t('bookmarkWords'),
      icon: <Bookmark aria-hidden="true" />,
      run: () => void navigate({ to: '/bookmarks' }),
    },
    {
      id: 'archive',
      title: t('archivedThreads'),
      words: t('archiveWords'),
      icon: <Archive aria-hidden="true" />,
      run: () => void navigate({ to: '/archive' }),
    },
    ...(hasKeyboard()
      ? [
          {
            id: 'help',
            title: libText(help.descriptionKey),
            words: t('helpWords'),
            icon: <Keyboard aria-hidden="true" />,
            keys: chordOf(help),
            run: () => openOverlay('shortcuts'),
          },
        ]
      : []),
  ]
}

export function useThreadMenuCommands(): readonly Command[] {
  const threadId = useOpenThreadId()
  const { thread } = useThread(threadId)
  const { remove, pin, archive, move } = useThreadActions()
  const { projects } = useProjects()
  // Nothing of this applies to a temporary thread.
  if (!thread || thread.expiresAt != null) return []
  return [
    {
      id: 'rename',
      title: t('renameThread'),
      words: t('renameWords'),
      icon: <PenLine aria-hidden="true" />,
      keys: chordOf(pageShortcuts.rename),
      run: () => void startRenaming(thread.id, 'header'),
    },
    {
      id: 'pin',
      title: thread.pinnedAt == null ? t('pinThread') : t('unpinThread'),
      icon: <Pin aria-hidden="true" />,
      run: () => pin(thread),
    },
    {
      id: 'share',
      title: t('shareThread'),
      words: t('shareWords'),
      icon: <Share aria-hidden="true" />,
      run: () => sharing.set(thread.id),
    },
    {
      id: 'move',
      title: t('moveThread'),
      words: t('folderWords'),
      icon: <FolderInput aria-hidden="true" />,
      ask: t('whichProject'),
      choices: [
        ...projects.map((project) => ({
          id: `move-${project.id}`,
          title: project.name,
          icon: <ProjectIcon icon={project.icon} color={project.color} />,
          isChosen: project.id === thread.projectId,
          run: () => move([thread], project),
        })),
        ...(projects.some(({ id }) => id === thread.projectId)
          ? [{ id: 'move-out', title: t('noProject'), icon: <FolderMinus aria-hidden="true" />, run: () => move([thread], null) }]
          : []),
        { id: 'move-new', title: t('newProject'), icon: <Plus aria-hidden="true" />, run: () => moving.set([thread]) },
      ],
    },
    {
      id: 'archive-thread',
      title: thread.archivedAt == null ? t('archiveThread') : t('restoreThread'),
      icon: <Archive aria-hidden="true" />,
      run: () => archive([thread], thread.archivedAt == null),
    },
    {
      id: 'delete',
      title: t('deleteThread'),
      words: t('deleteWords'),
      icon: <Trash2 aria-hidden="true" />,
      isDanger: true,
      run: () => remove([thread]),
    },
  ]
}
