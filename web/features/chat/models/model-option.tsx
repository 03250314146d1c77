/** One model in the list: name, capabilities, price, and the reason if it is unavailable. */
import { ComboboxItem } from '@ariakit/react/combobox'
import { Pin } from 'lucide-react'
import { creditsFor } from '../../../../worker/contract/access.ts'
import { cx } from '../../../lib/cx.ts'
import { paintText } from '../../../lib/i18n/first-paint-text.ts'
import { modelPrice, shortPrice } from '../../../lib/model-price.ts'
import { hasKeyboard } from '../../../lib/viewport.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CapabilityBadges } from '../../../ui/capability-badges.tsx'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { t } from './texts/t.ts'

type ModelOptionProps = {
  readonly id: string
  readonly model: ModelRow
  readonly isSelected: boolean
  readonly isPinned: boolean
  readonly problem: string | undefined
  readonly note: string | undefined
  readonly onChoose: () => void
  readonly onTogglePin: () => void
}

export function ModelOption(props: ModelOptionProps) {
  const { id, model, isSelected, isPinned, problem, note, onChoose, onTogglePin } = props
  const price = modelPrice(model)
  return (
    <ComboboxItem
      id={id}
      aria-selected={isSelected}
      aria-description={[problem, note, price].filter(Boolean).join(' · ')}
      focusOnHover={hasKeyboard()}
      blurOnHoverEnd={false}
      className="group/option active-item flex scroll-my-1 items-center gap-3 rounded-md px-2.5 py-2"
      // The focus stays where it is: on a phone, in the field it would open the keyboard.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <MakerIcon
        maker={model.icon}
        className={cx('size-[1.125rem]', isSelected ? 'text-accent' : 'text-muted-foreground', problem && 'opacity-50')}
      />
      <div className="min-w-0 flex-1">
        {/* Model names differ at their ends. */}
        <div className="flex flex-wrap items-center gap-x-2">
          <span className={cx('font-medium wrap-anywhere', isSelected ? 'text-accent' : problem && 'text-muted-foreground')}>
            {model.name}
          </span>
          {model.access === 'premium_required' && <Badge tone="accent">{paintText('pro')}</Badge>}
        </div>
        <p className="line-clamp-2 text-xs max-[23rem]:line-clamp-3 text-muted-foreground text-pretty">
          {problem ?? note ?? model.description}
        </p>
        {/* Touch devices have no hover, so every line shows the price. */}
        <p className="hidden text-xs text-muted-foreground touch:block">{shortPrice(model)}</p>
      </div>
      {/* The reason of an unavailable model takes the space of its capabilities. */}
      {!model.unavailable && (
        <span className={cx('flex shrink-0 gap-1 max-sm:hidden', problem && 'opacity-50')}>
          <CapabilityBadges has={model.capabilities ?? []} />
        </span>
      )}
      <span className="w-6 shrink-0 text-right text-xs text-muted-foreground touch:hidden" {...tooltip(price)}>
        {creditsFor(model)}
      </span>
      {/* The option is the only focusable element: by keyboard, pins are toggled with Ctrl+P or on the models page. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: for pointers only */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: for pointers only */}
      <span
        aria-hidden="true"
        {...tooltip(t(isPinned ? 'unpin' : 'pin'))}
        className={cx(
          'inline-flex size-7 shrink-0 touch-target items-center justify-center rounded-md hover:bg-foreground/8',
          isPinned ? 'text-accent' : 'text-muted-foreground opacity-0 group-hover/option:opacity-100 touch:opacity-100',
        )}
        onClick={(event) => {
          event.stopPropagation()
          onTogglePin()
        }}
      >
        <Pin className={cx('size-3.5', isPinned && 'fill-current')} />
      </span>
    </ComboboxItem>
  )
}
