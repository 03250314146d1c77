/** Menu items that export threads. Load after the first paint. */
import { FileBraces, FileDown, Printer } from 'lucide-react'
import { type ExportKind, openOverlay } from '../../lib/overlays.ts'
import { MenuItem } from '../../ui/menu.tsx'
import { t } from './texts/en.ts'

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
