/** The content of the thread menu. Loads after the first paint. */
import {
  Archive,
  ArchiveRestore,
  FileBraces,
  FileDown,
  FolderInput,
  ListChecks,
  PenLine,
  Pin,
  PinOff,
  Printer,
  Share,
  Trash2,
} from 'lucide-react'
import { type ExportKind, openOverlay } from '../../lib/overlays.ts'
import { libText } from '../../lib/texts/en.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { MenuItem } from '../../ui/menu.tsx'
import { startSelection } from './selection/selection.ts'
import { setSidebar } from './sidebar-state.ts'
import { t } from './texts/en.ts'
import { moving, renaming, sharing } from './thread-dialogs.tsx'
import { useThreadActions } from './use-thread-actions.ts'

export function ThreadMenuItems({ thread }: { readonly thread: ThreadRow }) {
  const { remove, pin, archive } = useThreadActions()
  const select = () => {
    // The menu is also in the bar that replaces the sidebar.
    setSidebar(true)
    void startSelection(thread.id)
  }
  return (
    <>
      <MenuItem icon={thread.pinnedAt == null ? <Pin /> : <PinOff />} onSelect={() => pin(thread)}>
        {thread.pinnedAt == null ? t('pin') : t('unpin')}
      </MenuItem>
      <MenuItem icon={<ListChecks />} onSelect={select}>
        {t('select')}
      </MenuItem>
      <MenuItem icon={<PenLine />} onSelect={() => renaming.set({ id: thread.id, title: thread.title ?? '' })}>
        {libText('rename')}
      </MenuItem>
      <MenuItem icon={<Share />} onSelect={() => sharing.set(thread.id)}>
        {t('share')}
      </MenuItem>
      <MenuItem icon={<FolderInput />} onSelect={() => moving.set([thread])}>
        {t('moveToProject')}
      </MenuItem>
      <MenuItem
        icon={thread.archivedAt == null ? <Archive /> : <ArchiveRestore />}
        onSelect={() => archive([thread], thread.archivedAt == null)}
      >
        {thread.archivedAt == null ? t('archive') : t('restoreFromArchive')}
      </MenuItem>
      <ExportItems threadIds={[thread.id]} />
      <MenuItem icon={<Trash2 />} danger onSelect={() => remove([thread])}>
        {libText('delete')}
      </MenuItem>
    </>
  )
}

/** Menu items that export threads. Load after the first paint. */
export function ExportItems({ threadIds }: { readonly threadIds: readonly string[] }) {
  const exportAs = (kind: ExportKind) => openOverlay({ threadIds, kind })
  return (
    <>
      <MenuItem icon={<FileDown />} onSelect={() => exportAs('markdown')}>
        {t('exportMarkdown')}
      </MenuItem>
      <MenuItem icon={<FileBraces />} onSelect={() => exportAs('json')}>
        {t('exportJson')}
      </MenuItem>
      <MenuItem icon={<Printer />} onSelect={() => exportAs('print')}>
        {t('print')}
      </MenuItem>
    </>
  )
}
