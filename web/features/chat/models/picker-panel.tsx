/** The open picker. The search field keeps the focus while arrow keys move through the list. Loads after the first paint. */
import { Combobox, ComboboxGroup, ComboboxGroupLabel, ComboboxList, ComboboxProvider } from '@ariakit/react/combobox'
import { Columns3, Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { maxComparedModels } from '../../../../worker/contract/limits.ts'
import { makersOf } from '../../../lib/maker-order.ts'
import { openUpsell } from '../../../lib/overlays.ts'
import { refreshModels } from '../../../lib/refresh-models.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { hasKeyboard } from '../../../lib/viewport.ts'
import { useMe, useModels } from '../../../sync/hooks.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { useSaveSettings } from '../../../sync/save-settings.ts'
import { Button } from '../../../ui/button.tsx'
import { toastRefusal } from '../../../ui/toast-refusal.ts'
import { toast } from '../../../ui/toaster.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { useScrollEdges } from '../../../ui/use-scroll-edges.ts'
import { type CatalogueFilter, modelProblem, modelsShown, pinnedFilter, pinsOf, suggestedModels } from './catalogue.ts'
import { MakerRail } from './maker-rail.tsx'
import { ModelOption } from './model-option.tsx'
import { offerFor } from './offer.ts'
import { PickerFooter, type RefusedChoice } from './picker-footer.tsx'
import { t } from './texts/en.ts'

type PickerPanelProps = {
  readonly selectedId: string | undefined
  /** Note shown at a model before it is selected. */
  readonly noteOf?: (model: ModelRow) => string | undefined
  /** Called only with an available model. */
  readonly onChoose: (model: ModelRow) => void
  /** Null if only one model can be chosen. */
  readonly compared?: ComparedChoice | null
  /** In a comparison: selects its first model. */
  readonly onChooseFirst?: (model: ModelRow) => void
  readonly onClose: () => void
}

/** The models that answer besides the selected one. */
export type ComparedChoice = { readonly models: readonly ModelRow[]; readonly onChange: (models: readonly ModelRow[]) => void }

export function PickerPanel({ selectedId, noteOf, onChoose, compared, onChooseFirst, onClose }: PickerPanelProps) {
  const me = useMe()
  const { models } = useModels()
  const saveSettings = useSaveSettings()
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<CatalogueFilter>(pinnedFilter)
  const [refused, setRefused] = useState<RefusedChoice | null>(null)
  // The list keeps its order while models are chosen for a comparison.
  const [firstId] = useState(selectedId)
  const [isComparing, setComparing] = useState(compared != null && compared.models.length > 0)
  const selected = models.filter(({ id }) => id === selectedId)
  const picked = isComparing && compared ? [...selected, ...compared.models] : selected
  const isPicked = ({ id }: ModelRow) => picked.some((model) => model.id === id)
  const pins = pinsOf(me)
  const nowMs = useServerNow()
  const problemOf = (model: ModelRow) => modelProblem(model, me, nowMs)
  const isRefused = (model: ModelRow) => problemOf(model) !== null
  const isFirstView = filter === pinnedFilter && search.trim() === ''
  const suggested = suggestedModels(isFirstView ? models : [], me?.plan ?? 'guest')
  const listed = modelsShown(models, { search, filter, pins, selectedId: firstId, plan: me?.plan, isRefused })
  const sections = [
    { label: t('suggested'), models: [...suggested.keys()] },
    { label: t('pinned'), models: listed.filter((model) => !suggested.has(model)) },
  ].filter((section) => section.models.length > 0)
  const shown = isFirstView ? sections.flatMap((section) => section.models) : listed
  const listId = useId()
  const optionId = (id: string) => `${listId}-${id}`
  const [activeId, setActiveId] = useState<string | null | undefined>(selectedId && optionId(selectedId))
  const active = shown.find(({ id }) => optionId(id) === activeId) ?? shown[0]
  const listRef = useRef<HTMLDivElement>(null)
  const fieldRef = useRef<HTMLInputElement>(null)
  useScrollEdges(listRef)

  const hasKeys = hasKeyboard()

  useEffect(refreshModels, [])

  // A model that would refuse every message cannot be selected. Where another plan includes it, the offer opens.
  const choose = (model: ModelRow) => {
    const refusal = isPicked(model) ? null : problemOf(model)
    const offer = offerFor(model, refusal)
    if (offer) {
      onClose()
      return openUpsell(offer)
    }
    setRefused(refusal && { refusal, modelName: model.name })
    if (refusal) return
    if (isComparing) compare(isPicked(model) ? picked.filter(({ id }) => id !== model.id) : [...picked, model])
    else onChoose(model)
  }
  /** The first model is the selected one. */
  const compare = ([first, ...others]: readonly ModelRow[]) => {
    if (!first || others.length >= maxComparedModels) return
    if (first.id !== selectedId) onChooseFirst?.(first)
    compared?.onChange(others)
  }
  const togglePin = ({ id }: ModelRow) => {
    const next = pins.includes(id) ? pins.filter((pin) => pin !== id) : [...pins, id]
    if (next.length === 0) toast('info', refusalSentence({ code: 'last_pin' }))
    else void toastRefusal(saveSettings({ pinnedModels: next }))
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'p' || !(event.ctrlKey || event.metaKey) || !active) return
    event.preventDefault()
    togglePin(active)
  }
  // On low windows the parent of the list scrolls.
  const scrollToStart = () => {
    listRef.current?.scrollTo({ top: 0 })
    listRef.current?.parentElement?.scrollTo({ top: 0 })
  }
  const find = (text: string) => {
    setSearch(text)
    setActiveId(null)
    setRefused(null)
    scrollToStart()
  }

  const option = (model: ModelRow) => {
    const suggestion = suggested.get(model)
    return (
      <ModelOption
        key={model.id}
        id={optionId(model.id)}
        model={model}
        sentence={suggestion && t(suggestion)}
        isSelected={isPicked(model)}
        isPinned={pins.includes(model.id)}
        problem={problemOf(model)}
        note={noteOf?.(model)}
        onChoose={() => choose(model)}
        onTogglePin={() => togglePin(model)}
      />
    )
  }

  return (
    <div className="flex h-full">
      <MakerRail
        makers={makersOf(models)}
        filter={search.trim() === '' ? filter : null}
        onChoose={(next) => {
          setRefused(null)
          setFilter(next)
          setSearch('')
          scrollToStart()
          if (hasKeys) fieldRef.current?.focus({ preventScroll: true })
        }}
      />
      <ComboboxProvider
        open
        value={search}
        setValue={find}
        activeId={active ? optionId(active.id) : null}
        setActiveId={setActiveId}
        includesBaseElement={false}
      >
        <div className="flex min-w-0 flex-1 flex-col low:overflow-y-auto">
          <div className="flex h-11 shrink-0 items-center gap-2.5 border-b px-3.5">
            <Search className="size-4 text-muted-foreground" aria-hidden="true" />
            <Combobox
              ref={fieldRef}
              // A phone's keyboard would cover the list, so the field waits until it is touched.
              autoFocus={hasKeys}
              aria-label={t('findModel')}
              spellCheck={false}
              placeholder={t('findModelPlaceholder')}
              onKeyDown={onKeyDown}
              className="min-w-0 flex-1 bg-transparent input-text outline-none placeholder:text-muted-foreground"
            />
            {compared && (
              <Button
                size="sm"
                variant={isComparing ? 'secondary' : 'ghost'}
                aria-pressed={isComparing}
                className="-mr-1.5"
                {...tooltip(t('compareDescription'))}
                onClick={() => {
                  if (isComparing) compared.onChange([])
                  setComparing(!isComparing)
                }}
              >
                <Columns3 className="size-3.5" aria-hidden="true" />
                {t('compare')}
              </Button>
            )}
          </div>
          <ComboboxList
            ref={listRef}
            alwaysVisible
            aria-label={t('models')}
            aria-multiselectable={isComparing || undefined}
            className="min-h-0 flex-1 scroll-fade overflow-y-auto p-1.5 outline-none low:flex-[1_0_auto] low:overflow-visible"
          >
            {isFirstView
              ? sections.map((section) => (
                  <ComboboxGroup key={section.label}>
                    <ComboboxGroupLabel className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted-foreground">
                      {section.label}
                    </ComboboxGroupLabel>
                    {section.models.map(option)}
                  </ComboboxGroup>
                ))
              : shown.map(option)}
          </ComboboxList>
          {shown.length === 0 && <Empty isSearch={search.trim() !== ''} />}
          {refused && <PickerFooter refused={refused} plan={me?.plan} />}
          {isComparing && (
            <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-t px-3.5 py-1.5">
              <span role="status" className="min-w-0 flex-1 text-xs text-muted-foreground text-pretty">
                {t('comparedCount', { count: picked.length, max: maxComparedModels })}
              </span>
              <Button size="sm" variant="primary" onClick={onClose}>
                {t('compareDone')}
              </Button>
            </div>
          )}
        </div>
      </ComboboxProvider>
    </div>
  )
}

const Empty = ({ isSearch }: { readonly isSearch: boolean }) => (
  <p role="status" className="flex-1 px-4 py-6 text-center text-muted-foreground text-pretty">
    {t(isSearch ? 'noModels' : 'noPinned')}
  </p>
)
