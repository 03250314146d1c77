/** All shortcuts, as the table has them. */

import { composerShortcuts, enterSends, pageShortcuts, type ShortcutRow } from '../../lib/shortcuts.ts'
import { useStore } from '../../lib/store.ts'
import { libText } from '../../lib/texts/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { chordOf } from '../../ui/kbd.tsx'
import { t } from './texts/en.ts'

const { send, newLine, stepBack } = composerShortcuts
/** For users whose Enter key adds a new line. */
const swapped: readonly ShortcutRow[] = [
  { ...newLine, descriptionKey: send.descriptionKey },
  { ...send, descriptionKey: newLine.descriptionKey },
  stepBack,
]

const groupsOf = (
  enterSends: boolean,
): readonly { readonly name: 'everywhere' | 'whileWriting'; readonly rows: readonly ShortcutRow[] }[] => [
  { name: 'everywhere', rows: Object.values(pageShortcuts) },
  { name: 'whileWriting', rows: enterSends ? Object.values(composerShortcuts) : swapped },
]

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const groups = groupsOf(useStore(enterSends))
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
                  <kbd className="rounded-sm border border-border bg-muted px-1.5 py-0.5 font-mono text-xs text-muted-foreground">
                    {chordOf(row)}
                  </kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
