/** One model in the list: its name, one sentence and its price. The active one also shows what it can do. */
import { ComboboxItem } from '@ariakit/react/combobox'
import { Check, CircleSlash2, Lock, Pin } from 'lucide-react'
import { creditsFor } from '../../../../worker/contract/access.ts'
import type { Refusal } from '../../../../worker/contract/errors.ts'
import { cx } from '../../../lib/cx.ts'
import { creditsText } from '../../../lib/format.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { modelDescription } from '../../../lib/model-description.ts'
import { creditsPerMessage } from '../../../lib/models.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { hasKeyboard } from '../../../lib/viewport.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CapabilityIcons } from '../../../ui/capability-badges.tsx'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { OneLine } from '../../../ui/one-line.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { isLocked } from './catalogue.ts'
import { t } from './texts/en.ts'

type ModelOptionProps = {
  readonly id: string
  readonly model: ModelRow
  /** Replaces the description. */
  readonly sentence: string | undefined
  readonly isSelected: boolean
  readonly isPinned: boolean
  readonly problem: Refusal | null
  readonly note: string | undefined
  readonly onChoose: () => void
  readonly onTogglePin: () => void
}

export function ModelOption(props: ModelOptionProps) {
  const { id, model, sentence, isSelected, isPinned, problem, note, onChoose, onTogglePin } = props
  const ProblemIcon = isLocked(problem) ? Lock : CircleSlash2
  return (
    <ComboboxItem
      id={id}
      aria-selected={isSelected}
      aria-description={[problem && refusalSentence(problem), note, modelDescription(model), creditsPerMessage(model)]
        .filter(Boolean)
        .join(' · ')}
      focusOnHover={hasKeyboard()}
      blurOnHoverEnd={false}
      className="group/option active-item flex min-h-11 scroll-my-6 items-center gap-3 rounded-md px-2.5 py-1"
      // Keep the focus: focusing the search field would open a phone's keyboard.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <MakerIcon maker={model.icon} className={cx('size-[1.125rem]', isSelected ? 'text-accent' : 'text-muted-foreground')} />
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 items-center gap-2">
          <OneLine text={model.name} className={cx('min-w-0 font-medium', isSelected && 'text-accent')} />
          {model.access === 'premium_required' && !problem && <Badge tone="accent">{firstPaintText('pro')}</Badge>}
          {problem && <ProblemIcon aria-hidden="true" className="size-3 shrink-0" />}
          {isSelected && <Check aria-hidden="true" className="size-4 shrink-0 text-accent" />}
        </div>
        <p
          className={cx(
            'text-xs leading-4',
            sentence === undefined ? 'truncate' : 'line-clamp-2',
            problem && !isLocked(problem) ? 'text-warning' : 'text-muted-foreground',
          )}
        >
          {problem && !isLocked(problem) ? refusalSentence(problem) : (note ?? sentence ?? modelDescription(model))}
        </p>
      </div>
      <span className="hidden shrink-0 gap-1.5 text-muted-foreground sm:group-data-active-item/option:flex">
        <CapabilityIcons has={model.capabilities ?? []} />
      </span>
      <span className="shrink-0 text-right text-xs text-muted-foreground">{creditsText(creditsFor(model))}</span>
      {/* The option is the only focusable element: by keyboard, pins are toggled with Ctrl+P or on the models page. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: for pointers only */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: for pointers only */}
      <span
        aria-hidden="true"
        {...tooltip(t(isPinned ? 'unpin' : 'pin'), { placement: 'right' })}
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
