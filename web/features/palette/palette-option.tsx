/** One line of the palette. The field keeps the focus and points at it. */
import { Check, ChevronRight } from 'lucide-react'
import { cx } from '../../lib/cx.ts'
import type { Command } from '../../ui/command.ts'
import { OneLine } from '../../ui/one-line.tsx'
import { Excerpt } from './excerpt.tsx'

type PaletteOptionProps = {
  readonly id: string
  readonly command: Command
  /** What it was found by. */
  readonly words: readonly string[]
  readonly isActive: boolean
  readonly onPoint: () => void
  readonly onChoose: () => void
}

export function PaletteOption({ id, command, words, isActive, onPoint, onChoose }: PaletteOptionProps) {
  const { title, icon, detail, excerpt, keys, isChosen = false, isDanger = false, choices } = command
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the search field, which keeps the focus
    // biome-ignore lint/a11y/useFocusableInteractive: an option is pointed at by aria-activedescendant
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={cx(
        // A heading and the fade above it stay in view as well.
        'flex min-h-9 scroll-mt-13 scroll-mb-8 items-center gap-3 rounded-md px-2.5 py-1.5 select-none touch:min-h-11 [&>svg]:size-4 [&>svg]:shrink-0',
        isActive && 'bg-foreground/7',
        isDanger ? 'text-danger' : '[&>svg]:text-muted-foreground',
      )}
      onPointerMove={onPoint}
      onClick={onChoose}
    >
      {icon}
      <span className="min-w-0 flex-1">
        <OneLine text={title} />
        {excerpt && <Excerpt text={excerpt} words={words} />}
      </span>
      {detail && <span className="max-w-1/2 shrink-0 truncate text-xs text-muted-foreground">{detail}</span>}
      {keys && <span className="shrink-0 font-mono text-xs text-muted-foreground touch:hidden">{keys}</span>}
      {isChosen && <Check role="img" aria-label="Chosen" className="text-accent!" />}
      {choices && <ChevronRight aria-hidden="true" />}
    </div>
  )
}
