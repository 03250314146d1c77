/** The open picker. The search field keeps the focus while arrow keys move through the list. Loads after the first paint. */
import { Combobox, ComboboxList, ComboboxProvider } from '@ariakit/react/combobox'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { Refusal } from '../../../../worker/contract/errors.ts'
import { modelPrice } from '../../../lib/model-price.ts'
import { refreshModels } from '../../../lib/refresh-models.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { hasKeyboard } from '../../../lib/viewport.ts'
import { settled, useActions } from '../../../sync/actions.ts'
import { useMe, useModels } from '../../../sync/hooks.ts'
import { trackSettings } from '../../../sync/row-changes.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { toast } from '../../../ui/toaster.tsx'
import { type CatalogueFilter, makersOf, modelProblems, modelsShown, pinnedFilter, pinsOf } from './catalogue.ts'
import { MakerRail } from './maker-rail.tsx'
import { ModelOption } from './model-option.tsx'
import { RefusedChoice } from './refused-choice.tsx'
import { t } from './texts/t.ts'

type PickerPanelProps = {
  readonly selectedId: string | undefined
  /** Note shown at a model before it is selected. */
  readonly noteOf?: (model: ModelRow) => string | undefined
  /** Called only with an available model. */
  readonly onChoose: (model: ModelRow) => void
}

export function PickerPanel({ selectedId, noteOf, onChoose }: PickerPanelProps) {
  const me = useMe()
  const { models } = useModels()
  const { updateSettings } = useActions()
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<CatalogueFilter>(pinnedFilter)
  const [refused, setRefused] = useState<{ readonly refusal: Refusal; readonly modelName: string } | null>(null)
  const pins = pinsOf(me)
  // `me` changes with the day of its credits.
  const problemOf = useMemo(() => modelProblems(me, serverNowMs()), [me])
  const shown = modelsShown(models, { search, filter, pins, plan: me?.plan, isRefused: (model) => problemOf(model) !== null })
  const listId = useId()
  const optionId = (id: string) => `${listId}-${id}`
  const [activeId, setActiveId] = useState<string | null | undefined>(selectedId && optionId(selectedId))
  const active = shown.find(({ id }) => optionId(id) === activeId) ?? shown[0]
  const listRef = useRef<HTMLDivElement>(null)
  const fieldRef = useRef<HTMLInputElement>(null)

  const hasKeys = hasKeyboard()

  useEffect(refreshModels, [])

  // A model that would refuse every message cannot be selected.
  const choose = (model: ModelRow) => {
    const refusal = model.id === selectedId ? null : problemOf(model)
    setRefused(refusal && { refusal, modelName: model.name })
    if (!refusal) onChoose(model)
  }
  const togglePin = ({ id }: ModelRow) => {
    const next = pins.includes(id) ? pins.filter((pin) => pin !== id) : [...pins, id]
    if (next.length === 0) toast('info', refusalSentence({ code: 'last_pin' }))
    else void savePins([...next])
  }
  const savePins = async (pinnedModels: readonly string[]) => {
    const outcome = await trackSettings({ pinnedModels }, settled(updateSettings({ pinnedModels: [...pinnedModels] })))
    if (!outcome.ok) toast('error', refusalSentence(outcome.refusal))
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'p' || !(event.ctrlKey || event.metaKey) || !active) return
    event.preventDefault()
    togglePin(active)
  }
  const find = (text: string) => {
    setSearch(text)
    setActiveId(null)
    setRefused(null)
    listRef.current?.scrollTo({ top: 0 })
  }

  return (
    <div className="flex h-[min(24.5rem,var(--popover-available-height,24.5rem))] w-[min(30rem,calc(100vw-1rem))] overflow-hidden">
      <MakerRail
        makers={makersOf(models)}
        filter={search.trim() === '' ? filter : null}
        onChoose={(next) => {
          setRefused(null)
          setFilter(next)
          setSearch('')
          listRef.current?.scrollTo({ top: 0 })
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
        <div className="flex min-w-0 flex-1 flex-col">
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
          </div>
          <ComboboxList ref={listRef} alwaysVisible aria-label={t('models')} className="min-h-0 flex-1 overflow-y-auto p-1.5 outline-none">
            {shown.map((model) => (
              <ModelOption
                key={model.id}
                id={optionId(model.id)}
                model={model}
                isSelected={model.id === selectedId}
                isPinned={pins.includes(model.id)}
                problem={sentenceOf(problemOf(model))}
                note={noteOf?.(model)}
                onChoose={() => choose(model)}
                onTogglePin={() => togglePin(model)}
              />
            ))}
          </ComboboxList>
          {shown.length === 0 && <Empty isSearch={search.trim() !== ''} />}
          {active && !refused && (
            // Screen readers get it as the description of the option.
            <p aria-hidden="true" className="border-t px-3.5 py-2 text-xs text-muted-foreground text-pretty">
              {hasKeys ? modelPrice(active) : t('priceUnits')}
            </p>
          )}
          {refused && <RefusedChoice {...refused} plan={me?.plan} />}
        </div>
      </ComboboxProvider>
    </div>
  )
}

const sentenceOf = (problem: Refusal | null): string | undefined => (problem ? refusalSentence(problem) : undefined)

const Empty = ({ isSearch }: { readonly isSearch: boolean }) => (
  <p role="status" className="flex-1 px-4 py-6 text-center text-muted-foreground text-pretty">
    {t(isSearch ? 'noModels' : 'noPinned')}
  </p>
)
