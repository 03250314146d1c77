/** All models by maker, and the ones pinned in the picker. The last pin cannot be removed. */
import { Pin, SearchX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { modelRefusal, type Plan } from '../../../worker/contract/access.ts'
import { defaultPins } from '../../../worker/contract/models/model-choice.ts'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { makersOf } from '../../lib/maker-order.ts'
import { modelDescription } from '../../lib/model-description.ts'
import { creditsPerMessage, tokenPrices } from '../../lib/models.ts'
import { refreshModels } from '../../lib/refresh-models.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { useMe, useModels } from '../../sync/hooks.ts'
import type { ModelRow } from '../../sync/rows.ts'
import { SavedMark } from '../../ui/autosaved-field.tsx'
import { Badge } from '../../ui/badge.tsx'
import { CapabilityBadges } from '../../ui/capability-badges.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { MakerIcon, makerName } from '../../ui/maker-icon.tsx'
import { Section } from '../../ui/section.tsx'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useSetting } from './settings-frame.tsx'
import { t } from './texts/en.ts'

export function ModelsPage() {
  const me = useMe()
  const { models, isComplete } = useModels()
  const [search, setSearch] = useState('')
  const pins = me?.setting?.pinnedModels ?? defaultPins
  // A model that is unpinned stays in the filtered list, so that it can be pinned again.
  const [filtered, setFiltered] = useState<{ readonly filters: readonly ModelFilter[]; readonly pins: readonly string[] }>()
  const filters = filtered?.filters ?? []
  const pinSetting = useSetting()
  useEffect(refreshModels, [])
  if (!me || (models.length === 0 && !isComplete)) return <LoadingModels />
  const groups = listedModels(models, { search, filters, pins: filtered?.pins ?? pins })
  const toggle = ({ id }: ModelRow) =>
    pinSetting.save({ pinnedModels: pins.includes(id) ? pins.filter((pin) => pin !== id) : [...pins, id] })
  return (
    <>
      <div className="mb-5 flex items-center gap-2 text-muted-foreground">
        <p className="text-pretty">{t('pinnedCount', { count: pins.length })}</p>
        <SavedMark {...pinSetting.mark} />
      </div>
      <TextField label={t('findModel')} type="search" value={search} onValueChange={setSearch} />
      <fieldset aria-label={t('filters')} className="mt-3 mb-8 flex flex-wrap gap-1.5 touch:gap-2">
        {modelFilters.map((filter) => (
          <button
            key={filter}
            type="button"
            aria-pressed={filters.includes(filter)}
            onClick={() => setFiltered({ filters: withFilterToggled(filters, filter), pins })}
            className="h-7 touch-target rounded-full border px-3 text-xs transition-colors not-aria-pressed:text-muted-foreground hover:bg-foreground/8 aria-pressed:border-accent aria-pressed:bg-accent/12 touch:h-9"
          >
            {filter === 'pro' ? firstPaintText('pro') : t(filter)}
          </button>
        ))}
      </fieldset>
      {groups.map(({ maker, models: ofMaker }) => (
        <Section
          key={maker}
          title={makerName(maker)}
          mark={<MakerIcon maker={maker} className="order-first size-5 text-muted-foreground" />}
        >
          <ul className="divide-y rounded-lg border">
            {ofMaker.map((model) => {
              const isPinned = pins.includes(model.id)
              return (
                <li key={model.id} className="flex items-start gap-3 py-3 pr-2 pl-4">
                  <ModelSummary model={model} plan={me.plan} />
                  <IconButton
                    label={t('pinModel', { model: model.name })}
                    aria-pressed={isPinned}
                    disabledReason={isPinned && pins.length === 1 ? refusalSentence({ code: 'last_pin' }) : undefined}
                    onClick={() => toggle(model)}
                  >
                    <Pin className={cx(isPinned && 'fill-current')} />
                  </IconButton>
                </li>
              )
            })}
          </ul>
        </Section>
      ))}
      {groups.length === 0 && <EmptyState icon={SearchX}>{t('noModels')}</EmptyState>}
    </>
  )
}

const LoadingModels = () => (
  <Delayed>
    <Skeleton className="h-5 w-40" />
    <Skeleton className="mt-5 mb-8 h-16" />
    <div className="divide-y rounded-lg border">
      {['w-24', 'w-32', 'w-28', 'w-36', 'w-20'].map((width) => (
        <div key={width} className="flex flex-col gap-2 p-4">
          <Skeleton className={`h-4 ${width}`} />
          <Skeleton className="h-4 w-4/5" />
          <Skeleton className="h-3 w-40" />
        </div>
      ))}
    </div>
  </Delayed>
)

function ModelSummary({ model, plan }: { readonly model: ModelRow; readonly plan: Plan }) {
  const refusal = modelRefusal(plan, model)
  return (
    <div className="min-w-0 flex-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{model.name}</span>
        {model.access === 'premium_required' && (
          <Badge tone="accent" {...(refusal && !model.unavailable && { tooltip: refusalSentence(refusal) })}>
            {firstPaintText('pro')}
          </Badge>
        )}
        {model.unavailable && <Badge {...(refusal && { tooltip: refusalSentence(refusal) })}>{t('unavailable')}</Badge>}
        {refusal?.code === 'account_required' && <Badge tooltip={refusalSentence(refusal)}>{t('accountBadge')}</Badge>}
        <span className="text-xs text-muted-foreground">{creditsPerMessage(model)}</span>
      </div>
      <p className="mt-0.5 text-muted-foreground">{modelDescription(model)}</p>
      <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="flex gap-1">
          <CapabilityBadges has={model.capabilities ?? []} />
        </span>
        <span className="text-xs text-muted-foreground">{tokenPrices(model)}</span>
      </div>
    </div>
  )
}

const modelFilters = ['pinned', 'free', 'pro', 'images', 'reasoning'] as const
export type ModelFilter = (typeof modelFilters)[number]

/** No model is free and PRO at once, so one replaces the other. */
const replacedBy: Partial<Record<ModelFilter, ModelFilter>> = { free: 'pro', pro: 'free' }

export const withFilterToggled = (filters: readonly ModelFilter[], filter: ModelFilter): readonly ModelFilter[] =>
  filters.includes(filter)
    ? filters.filter((other) => other !== filter)
    : [...filters.filter((other) => other !== replacedBy[filter]), filter]

type Listing = {
  readonly search: string
  /** A model must match all of them. */
  readonly filters: readonly ModelFilter[]
  /** The models that match the filter `pinned`. */
  readonly pins: readonly string[]
}

type MakerGroup = { readonly maker: string; readonly models: readonly ModelRow[] }

export function listedModels(models: readonly ModelRow[], { search, filters, pins }: Listing): readonly MakerGroup[] {
  const query = search.trim().toLowerCase()
  const matches: Record<ModelFilter, (model: ModelRow) => boolean> = {
    pinned: ({ id }) => pins.includes(id),
    free: ({ access }) => access !== 'premium_required',
    pro: ({ access }) => access === 'premium_required',
    images: ({ capabilities }) => capabilities?.includes('vision') === true,
    reasoning: ({ capabilities }) => capabilities?.includes('reasoning') === true,
  }
  const found = models.filter(
    (model) =>
      `${model.name} ${makerName(model.icon)} ${modelDescription(model)}`.toLowerCase().includes(query) &&
      // A search finds models that are no longer offered, with the reason.
      (query !== '' || model.unavailable !== 'model_retired') &&
      filters.every((filter) => matches[filter](model)),
  )
  return makersOf(found).map((maker) => ({ maker, models: found.filter(({ icon }) => icon === maker) }))
}
