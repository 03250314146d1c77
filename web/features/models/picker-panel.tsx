/** The open picker. The search field keeps the focus; arrows move through the list, Enter selects, Escape closes. */
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { type Refusal, refusals } from '../../../worker/contract/errors.ts'
import { modelPrice } from '../../lib/model-price.ts'
import { refreshModels } from '../../lib/refresh-models.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { trackSettings } from '../../stores/row-changes.ts'
import { settled, useActions } from '../../sync/actions.ts'
import { useMe, useModels } from '../../sync/hooks.ts'
import type { ModelRow } from '../../sync/rows.ts'
import { toast } from '../../ui/toaster.tsx'
import { makersOf, modelProblems, modelsShown, pinnedShelf, pinsOf, type Shelf } from './catalogue.ts'
import { MakerRail } from './maker-rail.tsx'
import { ModelOption } from './model-option.tsx'
import { RefusedChoice } from './refused-choice.tsx'

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
  const [shelf, setShelf] = useState<Shelf>(pinnedShelf)
  const [refused, setRefused] = useState<{ readonly refusal: Refusal; readonly modelName: string } | null>(null)
  const pins = pinsOf(me)
  // `me` changes with the day of its credits.
  const problemOf = useMemo(() => modelProblems(me, serverNowMs()), [me])
  const shown = modelsShown(models, { search, shelf, pins, plan: me?.plan, isRefused: (model) => problemOf(model) !== null })
  const [pointedId, setPointedId] = useState<string | undefined>(selectedId)
  const active = shown.find(({ id }) => id === pointedId) ?? shown[0]
  const listId = useId()
  const optionId = (id: string) => `${listId}-${id}`
  const listRef = useRef<HTMLDivElement>(null)
  const fieldRef = useRef<HTMLInputElement>(null)

  // The on-screen keyboard would cover the list, so the search field gets the focus only when it is touched.
  const isTouch = matchMedia('(pointer: coarse)').matches
  useEffect(() => (isTouch ? listRef : fieldRef).current?.focus({ preventScroll: true }), [isTouch])

  useEffect(refreshModels, [])

  // A model that would refuse every message cannot be selected.
  const choose = (model: ModelRow) => {
    const refusal = model.id === selectedId ? null : problemOf(model)
    setRefused(refusal && { refusal, modelName: model.name })
    if (!refusal) onChoose(model)
  }
  const togglePin = ({ id }: ModelRow) => {
    const next = pins.includes(id) ? pins.filter((pin) => pin !== id) : [...pins, id]
    if (next.length === 0) toast('info', refusals.last_pin)
    else void savePins([...next])
  }
  const savePins = async (pinnedModels: readonly string[]) => {
    const outcome = await trackSettings({ pinnedModels }, settled(updateSettings({ pinnedModels: [...pinnedModels] })))
    if (!outcome.ok) toast('error', outcome.refusal.message)
  }

  const pointTo = (model: ModelRow | undefined) => {
    if (!model) return
    setRefused(null)
    setPointedId(model.id)
    document.getElementById(optionId(model.id))?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const index = active ? shown.indexOf(active) : -1
    const moves: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + 6, PageUp: index - 6 }
    const move = moves[event.key]
    if (move !== undefined) pointTo(shown[Math.max(0, Math.min(shown.length - 1, move))])
    else if (event.key === 'Enter' && active) choose(active)
    else if (event.key.toLowerCase() === 'p' && (event.ctrlKey || event.metaKey) && active) togglePin(active)
    else return
    event.preventDefault()
  }

  return (
    <div className="flex h-[min(24.5rem,calc(100dvh-9rem))] w-[min(30rem,calc(100vw-1rem))] overflow-hidden">
      <MakerRail
        makers={makersOf(models)}
        shelf={search.trim() === '' ? shelf : null}
        onChoose={(next) => {
          setRefused(null)
          setShelf(next)
          setSearch('')
          listRef.current?.scrollTo({ top: 0 })
          if (!isTouch) fieldRef.current?.focus({ preventScroll: true })
        }}
      />
      <div className="flex min-w-0 flex-1 flex-col">
        <label className="flex h-11 shrink-0 items-center gap-2.5 border-b px-3.5">
          <Search className="size-4 text-muted-foreground" aria-hidden="true" />
          <input
            ref={fieldRef}
            data-autofocus={isTouch ? undefined : ''}
            role="combobox"
            aria-label="Find model"
            aria-expanded="true"
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={active ? optionId(active.id) : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder="Find model…"
            value={search}
            onChange={(event) => {
              setSearch(event.target.value)
              setPointedId(undefined)
              setRefused(null)
              listRef.current?.scrollTo({ top: 0 })
            }}
            onKeyDown={onKeyDown}
            className="min-w-0 flex-1 bg-transparent input-text outline-none placeholder:text-muted-foreground"
          />
        </label>
        <div
          ref={listRef}
          id={listId}
          role="listbox"
          aria-label="Models"
          tabIndex={-1}
          data-autofocus={isTouch ? '' : undefined}
          className="min-h-0 flex-1 overflow-y-auto p-1.5 outline-none"
        >
          {shown.map((model) => (
            <ModelOption
              key={model.id}
              id={optionId(model.id)}
              model={model}
              isActive={model === active}
              isSelected={model.id === selectedId}
              isPinned={pins.includes(model.id)}
              problem={problemOf(model)?.message}
              note={noteOf?.(model)}
              onChoose={() => choose(model)}
              onTogglePin={() => togglePin(model)}
              onPoint={() => setPointedId(model.id)}
            />
          ))}
        </div>
        {shown.length === 0 && <Empty isSearch={search.trim() !== ''} />}
        {active && !refused && (
          // Screen readers get the same text from the option.
          <p aria-hidden="true" className="border-t px-3.5 py-2 text-xs text-muted-foreground text-pretty">
            {isTouch ? 'Credits a message · dollars per million tokens' : modelPrice(active)}
          </p>
        )}
        {refused && <RefusedChoice {...refused} plan={me?.plan} />}
      </div>
    </div>
  )
}

const Empty = ({ isSearch }: { readonly isSearch: boolean }) => (
  <p role="status" className="flex-1 px-4 py-6 text-center text-muted-foreground text-pretty">
    {isSearch ? 'No models match your search.' : 'No pinned models yet. Pin one from a maker on the left.'}
  </p>
)
