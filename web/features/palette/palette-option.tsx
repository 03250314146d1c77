/** One line of the palette. The field keeps the focus and points at it. */
import { ComboboxItem } from '@ariakit/react/combobox'
import { Check, ChevronRight } from 'lucide-react'
import { cx } from '../../lib/cx.ts'
import { hasKeyboard } from '../../lib/viewport.ts'
import type { Command } from '../../ui/command.ts'
import { OneLine } from '../../ui/one-line.tsx'
import { Excerpt, Marked } from './excerpt.tsx'
import { t } from './texts/en.ts'

type PaletteOptionProps = {
  readonly id: string
  readonly command: Command
  /** The search words, to mark them. */
  readonly words: readonly string[]
  readonly isActive: boolean
  readonly onChoose: () => void
}

export function PaletteOption({ id, command, words, isActive, onChoose }: PaletteOptionProps) {
  const { title, icon, detail, excerpt, keys, isChosen = false, isDanger = false, choices } = command
  return (
    <ComboboxItem
      id={id}
      focusOnHover={hasKeyboard()}
      blurOnHoverEnd={false}
      aria-selected={isActive}
      className={cx(
        // A heading and the fade above it stay in view as well.
        'active-item flex min-h-9 scroll-mt-13 scroll-mb-8 items-center gap-3 rounded-md px-2.5 py-1.5 select-none touch:min-h-11 [&>svg]:size-4 [&>svg]:shrink-0',
        isDanger ? 'text-danger' : '[&>svg]:text-muted-foreground',
      )}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      {icon}
      <span className="min-w-0 flex-1">
        <OneLine text={title} draw={(text) => <Marked text={text} words={words} />} />
        {excerpt && <Excerpt text={excerpt} words={words} />}
      </span>
      {detail && <span className="max-w-1/2 shrink-0 truncate text-xs text-muted-foreground">{detail}</span>}
      {keys && <span className="shrink-0 font-mono text-xs text-muted-foreground touch:hidden">{keys}</span>}
      {isChosen && <Check role="img" aria-label={t('chosen')} className="text-accent!" />}
      {choices && <ChevronRight aria-hidden="true" />}
    </ComboboxItem>
  )
}
