/** All shortcuts, as the table has them. */

import { shortcutGroups } from '../../lib/shortcut-table.ts'
import { enterSends } from '../../lib/shortcuts.ts'
import { useStore } from '../../lib/store.ts'
import { libText } from '../../lib/texts/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { chordOf, Kbd } from '../../ui/kbd.tsx'
import { t } from './texts/en.ts'

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const groups = shortcutGroups(useStore(enterSends))
  return (
    <Dialog open title={t('shortcuts')} onClose={onClose}>
      {groups.map(({ name, rows }) => (
        <section key={name} aria-label={libText(name)} className="mt-4">
          <h3 className="text-xs font-medium text-muted-foreground">{libText(name)}</h3>
          <dl className="mt-1 divide-y">
            {rows.map((row) => (
              <div key={row.descriptionKey} className="flex items-center justify-between gap-4 py-2">
                <dt>{libText(row.descriptionKey)}</dt>
                <dd className="shrink-0">
                  <Kbd keys={chordOf(row)} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
