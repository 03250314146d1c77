/** Dark, light or system mode: three buttons in the user menu that keep the menu open. */
import type { KeyboardEvent } from 'react'
import { cx } from '../../lib/cx.ts'
import { type Mode, modeChoices } from './appearances.ts'

type ModeSwitchProps = { readonly mode: Mode; readonly onChange: (mode: Mode) => void }

export function ModeSwitch({ mode, onChange }: ModeSwitchProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place inside a menu
    <div role="group" aria-label="Appearance" className="flex gap-0.5 p-0.5" onKeyDown={moveSideways}>
      {modeChoices.map(({ mode: choice, name, Icon }) => (
        <button
          key={choice}
          type="button"
          role="menuitemradio"
          aria-checked={choice === mode}
          tabIndex={-1}
          className={cx(
            'flex h-8 flex-1 items-center justify-center gap-1.5 rounded-md text-xs transition-colors touch:h-11',
            choice === mode ? 'bg-foreground/9 text-foreground' : 'text-muted-foreground hover:text-foreground',
          )}
          onClick={() => onChange(choice)}
        >
          <Icon aria-hidden="true" className="size-3.5" />
          {name}
        </button>
      ))}
    </div>
  )
}

/** The menu handles up and down; these buttons also handle left and right. */
function moveSideways(event: KeyboardEvent<HTMLElement>) {
  const step = event.key === 'ArrowRight' ? 'nextElementSibling' : event.key === 'ArrowLeft' ? 'previousElementSibling' : undefined
  const next = step && document.activeElement?.[step]
  if (next instanceof HTMLElement) next.focus()
}
