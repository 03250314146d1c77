/** The sidebar while threads are selected: rows with checkboxes, and the bar with what can be done with them. */
import { Toolbar, ToolbarItem } from '@ariakit/react/toolbar'
import { Archive, Check, FileDown, FolderInput, ListChecks, Trash2, X } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, useEffect, useRef } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import type { SidebarProject } from '../../../../worker/contract/first-page.ts'
import { maxSelection } from '../../../../worker/contract/limits.ts'
import { cx } from '../../../lib/cx.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { useOpenThreadId } from '../../../lib/navigation.ts'
import { useStore, useStored } from '../../../lib/store.ts'
import { libText } from '../../../lib/texts/en.ts'
import type { ThreadRow } from '../../../sync/rows.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { OneLine } from '../../../ui/one-line.tsx'
import { t } from '../texts/en.ts'
import { moving } from '../thread-dialogs.tsx'
import { ProjectDot } from '../thread-list.tsx'
import { ExportItems } from '../thread-menu-items.tsx'
import { useThreadActions } from '../use-thread-actions.ts'
import { drag, type Selection, selection } from './selection.ts'
import { allSelected, extended, stepped, toggled } from './selection-steps.ts'

type SelectableRowProps = {
  readonly thread: ThreadRow
  readonly threads: readonly ThreadRow[]
  readonly project: SidebarProject | undefined
}

/** A checkbox in place of the link and its menu. */
export const SelectableRow = memo(function SelectableRow({ thread, threads, project }: SelectableRowProps) {
  const { id } = thread
  const ref = useRef<HTMLButtonElement>(null)
  const isSelected = useStored(selection, (state) => state?.ids.has(id) ?? false)
  const isCurrent = useStored(selection, (state) => state?.currentId === id)
  // The link that had the focus was replaced by this row.
  useEffect(() => {
    if (selection.get()?.currentId === id) ref.current?.focus({ preventScroll: true })
  }, [id])

  const onClick = ({ shiftKey }: MouseEvent) =>
    change((state) => (shiftKey ? extended(state, id, orderOf(threads)) : toggled({ ...state, currentId: id }, id)))
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const isModified = event.ctrlKey || event.metaKey
    if (event.key === 'Escape') selection.set(null)
    else if (isModified && event.key === 'a') change((state) => allSelected(state, orderOf(threads)))
    else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !isModified && !event.altKey) {
      const order = orderOf(threads)
      const next = stepped(order, id, event.key === 'ArrowDown' ? 1 : -1)
      change((state) => (event.shiftKey ? extended(state, next, order) : { ...state, currentId: next, anchorId: next }))
      event.currentTarget.closest('nav')?.querySelector<HTMLElement>(`[data-thread="${next}"]`)?.focus()
    } else return
    event.preventDefault()
  }

  return (
    <li
      draggable
      onDragStart={() => drag(id)}
      className="relative scroll-my-10 [content-visibility:auto] [contain-intrinsic-size:auto_2rem]"
    >
      {/* biome-ignore lint/a11y/useSemanticElements: the label of an input ignores presses with Shift or Control in Firefox */}
      <button
        ref={ref}
        type="button"
        role="checkbox"
        aria-checked={isSelected}
        data-thread={id}
        tabIndex={isCurrent ? 0 : -1}
        onClick={onClick}
        onKeyDown={onKeyDown}
        className={cx(
          'flex h-8 w-full items-center gap-2 rounded-lg pr-2 pl-2.5 text-left -outline-offset-2 select-none touch:h-11',
          isSelected ? 'bg-accent/12 text-foreground' : 'text-foreground/85 hover:bg-foreground/5',
        )}
      >
        <span
          aria-hidden="true"
          className={cx(
            'flex size-4 shrink-0 items-center justify-center rounded-sm border [&_svg]:size-3',
            isSelected ? 'border-accent bg-accent text-accent-foreground' : 'border-control',
          )}
        >
          {isSelected && <Check strokeWidth={3} />}
        </span>
        {project && <ProjectDot project={project} />}
        <OneLine text={titleOf(thread, firstPaintText)} className={cx('min-w-0 flex-1', !thread.title && 'text-muted-foreground')} />
      </button>
    </li>
  )
})

const orderOf = (threads: readonly ThreadRow[]): readonly string[] => threads.map(({ id }) => id)

function change(step: (state: Selection) => Selection | null): void {
  const state = selection.get()
  if (state) selection.set(step(state))
}

export function SelectionBar({ threads }: { readonly threads: readonly ThreadRow[] }) {
  const state = useStore(selection)
  const { remove, archive } = useThreadActions()
  // Another device may have deleted or archived a selected thread.
  const selected = threads.filter(({ id }) => state?.ids.has(id))
  useRangeFromOpenThread(threads)
  useDropMissingThreads(threads, selected)
  useRestoreFocus()

  const end = () => selection.set(null)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    end()
  }
  const item = (label: string, icon: ReactNode, run: () => void, keys?: string) => (
    <ToolbarItem
      render={
        <IconButton label={label} keys={keys} onClick={run}>
          {icon}
        </IconButton>
      }
    />
  )
  return (
    <Toolbar aria-label={t('selection')} onKeyDown={onKeyDown} className="flex flex-wrap items-center justify-between border-t p-2">
      {item(t('endSelection'), <X />, end, 'Esc')}
      <p role="status" className="order-first basis-full px-2.5 pb-1 tabular-nums">
        {t(selected.length >= maxSelection ? 'selectedMost' : 'selected', { count: selected.length })}
      </p>
      {item(t('selectAll'), <ListChecks />, () => change((current) => allSelected(current, orderOf(threads))))}
      {item(t('moveToProject'), <FolderInput />, () => moving.set(selected))}
      {item(t('archive'), <Archive />, () => archive(selected, true))}
      <Menu
        label={t('export')}
        trigger={(props) => (
          <ToolbarItem
            render={
              <IconButton {...props} label={t('export')}>
                <FileDown />
              </IconButton>
            }
          />
        )}
      >
        <ExportItems threadIds={selected.map(({ id }) => id)} />
      </Menu>
      {item(libText('delete'), <Trash2 />, () => remove(selected))}
    </Toolbar>
  )
}

/** A selection that began with Shift reaches from the open thread to the pressed one. */
function useRangeFromOpenThread(threads: readonly ThreadRow[]): void {
  const openId = useOpenThreadId()
  useEffect(() => {
    const state = selection.get()
    if (state?.anchorId !== null) return
    const order = orderOf(threads)
    const anchorId = openId !== undefined && order.includes(openId) ? openId : state.currentId
    selection.set(extended({ ...state, anchorId }, state.currentId, order))
  }, [threads, openId])
}

/** Ends a selection without threads. Keeps the tab stop on a listed row. */
function useDropMissingThreads(threads: readonly ThreadRow[], selected: readonly ThreadRow[]): void {
  useEffect(() => {
    const state = selection.get()
    const [first] = selected
    if (!state) return
    if (!first) selection.set(null)
    else if (threads.every(({ id }) => id !== state.currentId)) selection.set({ ...state, currentId: first.id, anchorId: first.id })
  }, [threads, selected])
}

/** The row that had the focus becomes a link again, or is no longer listed. */
function useRestoreFocus(): void {
  useEffect(() => {
    const list = document.querySelector('[role=checkbox][data-thread]')?.closest('nav')
    let last = selection.get()?.currentId
    const unsubscribe = selection.subscribe(() => {
      last = selection.get()?.currentId ?? last
    })
    return () => {
      unsubscribe()
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return
        const link = list?.querySelector<HTMLElement>(`a[href="/${last}"]`) ?? list?.querySelector<HTMLElement>('a')
        link?.focus({ preventScroll: true })
      })
    }
  }, [])
}
