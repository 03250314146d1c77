/** Dark, light or system mode: three items in the user menu that keep the menu open. */
import { MenuItem } from '@ariakit/react/menu'
import { cx } from '../../lib/cx.ts'
import { type Mode, modeChoices } from './appearances.ts'
import { t } from './texts/en.ts'

type ModeSwitchProps = { readonly mode: Mode; readonly onChange: (mode: Mode) => void }

export function ModeSwitch({ mode, onChange }: ModeSwitchProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place inside a menu
    <div role="group" aria-label={t('appearance')} className="flex gap-0.5 p-0.5">
      {modeChoices.map(({ mode: choice, Icon }) => (
        <MenuItem
          key={choice}
          role="menuitemradio"
          aria-checked={choice === mode}
          hideOnClick={false}
          className={cx(
            'active-item flex h-9 flex-1 items-center justify-center gap-1.5 rounded-md text-xs outline-none transition-colors touch:h-11 forced-colors:aria-checked:border',
            choice === mode ? 'bg-foreground/9 text-foreground' : 'text-muted-foreground hover:text-foreground',
          )}
          onClick={() => onChange(choice)}
        >
          <Icon aria-hidden="true" className="size-3.5" />
          {t(choice)}
        </MenuItem>
      ))}
    </div>
  )
}
