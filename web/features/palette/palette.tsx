/**
 * One field that finds every thread and every command without a pointer. Where a command asks for a choice, Backspace in an empty field
 * leads back. On a phone it fills the window.
 */
import { Combobox, ComboboxList, ComboboxProvider } from '@ariakit/react/combobox'
import { ArrowLeft, Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { isEmptyFilter, type SearchFilter, wordsOf } from '../../../worker/contract/threads/search.ts'
import { cx } from '../../lib/cx.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { type Appearance, previewedAppearance } from '../../lib/page-head.ts'
import { isInputMethodKey, matches, pageShortcuts } from '../../lib/shortcuts.ts'
import { libText } from '../../lib/texts/en.ts'
import { Button } from '../../ui/button.tsx'
import type { Command, CommandGroup, CommandWithChoices } from '../../ui/command.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { chordOf } from '../../ui/kbd.tsx'
import { Modal } from '../../ui/overlay-panels.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useScrollEdges } from '../../ui/use-scroll-edges.ts'
import { PaletteOption } from './palette-option.tsx'
import { commandWithChoices, foundGroups } from './rank-commands.ts'
import { FilterChips, type FilterCommand, useSearchFilters } from './search-filters.tsx'
import { t } from './texts/en.ts'
import { useFoundThreads } from './use-found-threads.tsx'

const noWords: readonly string[] = []

type PaletteProps = {
  readonly groups: readonly CommandGroup[]
  /** Offered for a text without results. */
  readonly askCommand: (text: string) => Command
  readonly onClose: () => void
}

export const Palette = (props: PaletteProps) => (
  <Modal
    aria-label={t('findAnything')}
    onClose={props.onClose}
    className="flex animate-rise flex-col overflow-hidden bg-raised text-foreground shadow-float max-sm:pt-[env(safe-area-inset-top)] sm:mx-auto sm:mt-[12dvh] sm:h-fit sm:max-h-[min(30rem,76dvh)] sm:w-[min(38rem,calc(100vw-2rem))] sm:rounded-xl"
  >
    <Content {...props} />
  </Modal>
)

function Content({ groups, askCommand, onClose }: PaletteProps) {
  const [query, setQuery] = useState('')
  /** The command whose choices are shown, as it was when the user chose it. */
  const [asked, setAsked] = useState<CommandWithChoices | null>(null)
  const [activeId, setActiveId] = useState<string | null>()
  const isByKey = useRef(false)
  const [isPreviewed, setPreviewed] = useState(false)
  const [filter, setFilter] = useState<SearchFilter>({})
  /** The text in the field before the choices of a filter were shown. */
  const [queryBefore, setQueryBefore] = useState('')
  const words = wordsOf(query)
  const filters = useSearchFilters(filter, setFilter, query)
  const openFilter = asked && filters.find(({ id }) => id === asked.id)
  const threads = useFoundThreads(asked ? noWords : words, filter)
  // The current version of the command: its choices may load or change. While it is missing for a moment, the earlier one stays.
  const openCommand = asked && (openFilter ?? commandWithChoices(groups, asked.id) ?? asked)
  const isFiltered = !isEmptyFilter(filter)
  const found = openCommand
    ? foundGroups([{ name: openCommand.title, commands: openCommand.choices }], words)
    : [...threads.groups, ...(isFiltered ? [] : foundGroups(groups, words)), ...threads.late]
  const isLooking = !openCommand && threads.isLooking
  const isEmpty = found.every(({ commands }) => commands.length === 0)
  const offersQuestion = isEmpty && !isLooking && !openCommand && words.length > 0
  const shown = offersQuestion ? [{ name: firstPaintText('newThread'), commands: [askCommand(query.trim())] }] : found
  const options = shown.flatMap(({ commands }) => commands)
  const listId = useId()
  const optionId = (id: string) => `${listId}-${id}`
  const active =
    options.find(({ id }) => optionId(id) === activeId) ?? options.find(({ isChosen }) => isChosen && words.length === 0) ?? options[0]
  const listRef = useRef<HTMLDivElement>(null)
  const fieldRef = useRef<HTMLInputElement>(null)
  useScrollEdges(listRef)
  usePreview(isPreviewed ? active?.preview : undefined)

  const ask = (command: CommandWithChoices | null, text = '') => {
    setAsked(command)
    type(text)
    fieldRef.current?.focus()
  }
  const askFilter = (command: FilterCommand) => {
    if (!asked) setQueryBefore(query)
    ask(command)
  }
  const goBack = () => ask(null, openFilter ? queryBefore : '')
  const point = (id: string | null | undefined) => {
    setActiveId(id)
    setPreviewed(id != null && isByKey.current)
  }
  const type = (text: string) => {
    setQuery(text)
    setActiveId(null)
    setPreviewed(false)
    listRef.current?.scrollTo({ top: 0 })
  }
  const choose = (command: Command) => {
    if (command.choices) return ask(command)
    if (openFilter) {
      command.run()
      return goBack()
    }
    // Close first: an overlay that the command opens must restore focus to the element focused before the palette.
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isInputMethodKey(event.nativeEvent)) return
    if (matches(pageShortcuts.palette, event)) onClose()
    else if (event.key === 'Backspace' && query === '' && openCommand) goBack()
    else if (event.key === 'Backspace' && query === '' && isFiltered) setFilter({})
    else return
    event.preventDefault()
  }

  return (
    <ComboboxProvider
      open
      value={query}
      setValue={type}
      activeId={active ? optionId(active.id) : null}
      setActiveId={point}
      includesBaseElement={false}
    >
      <div className="flex h-12 shrink-0 items-center gap-2.5 border-b px-3.5 max-sm:h-14">
        {openCommand ? (
          <IconButton size="sm" label={t('backToAll')} className="-ml-1.5" onClick={goBack}>
            <ArrowLeft />
          </IconButton>
        ) : (
          <Search className="size-4 shrink-0 text-muted-foreground" aria-hidden="true" />
        )}
        <Combobox
          ref={fieldRef}
          autoFocus
          aria-label={openCommand?.ask ?? t('search')}
          spellCheck={false}
          enterKeyHint="go"
          placeholder={openCommand?.ask ?? t('search')}
          onKeyDown={onKeyDown}
          // The library moves the active option while the event is captured.
          onKeyDownCapture={({ key }) => {
            isByKey.current = /^(Arrow|Home|End|Page)/.test(key)
          }}
          className="min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-muted-foreground"
        />
        {isLooking && <Spinner label={t('searchingAll')} className="text-muted-foreground" />}
        <Button variant="ghost" size="sm" data-dialog-dismiss className="-mr-1.5 text-muted-foreground" onClick={onClose}>
          <span aria-hidden="true" className="rounded-sm border px-1 font-mono text-xs touch:hidden">
            {chordOf({ key: 'Escape' })}
          </span>
          <span className="sr-only touch:not-sr-only">{libText('close')}</span>
        </Button>
      </div>
      {(!openCommand || openFilter) && <FilterChips filters={filters} onOpen={askFilter} />}
      <ComboboxList
        ref={listRef}
        alwaysVisible
        aria-label={openCommand?.title ?? t('results')}
        onPointerMove={() => {
          isByKey.current = false
        }}
        className="min-h-0 flex-auto scroll-fade overflow-y-auto overscroll-contain p-1.5 pb-[max(0.375rem,env(safe-area-inset-bottom))]"
      >
        {shown.map(({ name, commands }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place inside a listbox
          <div key={name} role="group" aria-label={name} className="not-first:mt-1.5">
            <div aria-hidden="true" className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted-foreground">
              {name}
            </div>
            {commands.map((command) => (
              <PaletteOption
                key={command.id}
                id={optionId(command.id)}
                command={command}
                words={words}
                isActive={command === active}
                onChoose={() => choose(command)}
              />
            ))}
          </div>
        ))}
      </ComboboxList>
      {isEmpty && (
        <p
          role="status"
          className={cx('px-4 pt-2 pb-8 text-center text-muted-foreground text-pretty max-sm:flex-2', offersQuestion && 'sr-only')}
        >
          {t(isLooking ? 'searching' : isFiltered ? 'nothingFiltered' : 'nothingFound')}
        </p>
      )}
      {!openCommand && threads.note && (
        <p role="status" className="shrink-0 border-t px-4 py-2 text-xs text-muted-foreground text-pretty">
          {threads.note}
        </p>
      )}
    </ComboboxProvider>
  )
}

/** Preview only with the keyboard. Hovering would restyle the page. */
function usePreview(preview: Appearance | undefined): void {
  const { mode, theme } = preview ?? {}
  useEffect(() => {
    if (mode === undefined && theme === undefined) return undefined
    previewedAppearance.set({ mode, theme })
    return () => previewedAppearance.set(undefined)
  }, [mode, theme])
}
