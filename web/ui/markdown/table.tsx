/** A table that scrolls sideways, with buttons to copy and save it. */
import type { Element } from 'hast'
import { Check, Copy, Download } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { copyText } from '../../lib/clipboard.ts'
import { saveFile } from '../../lib/save-file.ts'
import { useLatest } from '../../lib/use-stable.ts'
import { Button } from '../button.tsx'
import { CopiedStatus, useCopied } from '../copy-button.tsx'
import { scrollTabStop } from '../scroll-tab-stop.ts'
import { Toolbar } from '../toolbar.tsx'
import { tableCsv, tableHtml, tableMarkdown } from './table-copy.ts'
import { t } from './texts/en.ts'

type TableProps = { readonly node?: Element | undefined; readonly dir?: string | undefined; readonly children?: ReactNode }

export function Table({ node, dir, children }: TableProps) {
  const latest = useLatest(node)
  return (
    <div className="md-table-frame" dir={dir}>
      <TableTools table={latest} />
      <div ref={scrollTabStop} className="md-table">
        <table>{children}</table>
      </div>
    </div>
  )
}

type TableToolsProps = { readonly table: { readonly current: Element | undefined } }

/** Reads the table when a button is pressed, so that a growing table does not render the buttons. */
const TableTools = memo(function TableTools({ table }: TableToolsProps) {
  const [isCopied, show] = useCopied()
  const copy = async () => {
    if (table.current) await show(copyTable(tableMarkdown(table.current), tableHtml(table.current)))
  }
  const save = () => {
    // Without a byte order mark, Excel reads another encoding.
    if (table.current) saveFile(new Blob(['\ufeff', tableCsv(table.current)], { type: 'text/csv' }), `${t('tableFile')}.csv`)
  }
  return (
    <Toolbar label={t('table')} className="md-table-tools">
      <Button variant="ghost" size="sm" className={toolClass} onClick={() => void copy()}>
        {isCopied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
        {t(isCopied ? 'copied' : 'copyTable')}
      </Button>
      <Button variant="ghost" size="sm" aria-label={t('saveCsv')} className={toolClass} onClick={save}>
        <Download aria-hidden="true" />
        {'CSV'}
      </Button>
      <CopiedStatus isCopied={isCopied} />
    </Toolbar>
  )
})

const toolClass = 'gap-1.5! px-2! text-muted-foreground! hover:text-foreground! [&_svg]:size-3.5'

/** Spreadsheets and text processors take the HTML, editors the Markdown. */
async function copyTable(markdown: string, html: string): Promise<boolean> {
  try {
    const blobOf = (type: string, text: string) => ({ [type]: new Blob([text], { type }) })
    await navigator.clipboard.write([new ClipboardItem({ ...blobOf('text/plain', markdown), ...blobOf('text/html', html) })])
    return true
  } catch {
    return copyText(markdown)
  }
}
