/** The content of the thread menu. Loads after the first paint. */
import {
  Archive,
  ArchiveRestore,
  FileBraces,
  FileDown,
  FileText,
  FolderInput,
  ListChecks,
  PenLine,
  Pin,
  PinOff,
  Printer,
  Share,
  Trash2,
} from 'lucide-react'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { type ExportKind, openOverlay } from '../../lib/overlays.ts'
import { libText } from '../../lib/texts/en.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Submenu } from '../../ui/overlay-panels.tsx'
import { startSelection } from './selection/selection.ts'
import { setSidebar } from './sidebar-state.ts'
import { t } from './texts/en.ts'
import { moving, sharing, startRenaming } from './thread-dialogs.tsx'
import { useThreadActions } from './use-thread-actions.ts'

type ThreadMenuItemsProps = {
  readonly thread: ThreadRow
  /** Where the menu is. */
  readonly place: 'sidebar' | 'header'
}

export function ThreadMenuItems({ thread, place }: ThreadMenuItemsProps) {
  const { remove, pin, archive } = useThreadActions()
  const select = () => {
    // The menu is also in the header of the thread.
    setSidebar(true)
    void startSelection(thread.id)
  }
  return (
    <>
      <MenuItem icon={thread.pinnedAt == null ? <Pin /> : <PinOff />} onSelect={() => pin(thread)}>
        {thread.pinnedAt == null ? t('pin') : t('unpin')}
      </MenuItem>
      <MenuItem icon={<PenLine />} onSelect={() => void startRenaming(thread.id, place)}>
        {libText('rename')}
      </MenuItem>
      <MenuItem icon={<FolderInput />} onSelect={() => moving.set([thread])}>
        {t('moveToProject')}
      </MenuItem>
      <MenuItem icon={<Share />} onSelect={() => sharing.set(thread.id)}>
        {firstPaintText('share')}
      </MenuItem>
      <MenuSeparator />
      <Submenu label={t('export')} icon={<FileDown />}>
        <ExportItems threadIds={[thread.id]} />
      </Submenu>
      <MenuSeparator />
      <MenuItem icon={<ListChecks />} onSelect={select}>
        {t('select')}
      </MenuItem>
      <MenuItem
        icon={thread.archivedAt == null ? <Archive /> : <ArchiveRestore />}
        onSelect={() => archive([thread], thread.archivedAt == null)}
      >
        {thread.archivedAt == null ? t('archive') : t('restoreFromArchive')}
      </MenuItem>
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
      <MenuItem icon={<FileText />} onSelect={() => exportAs('markdown')}>
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
