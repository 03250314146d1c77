/** The threads that are selected or dragged in the sidebar. The code that shows and changes them loads with the first one. */
import { lazyPart } from '../../../lib/lazy-part.ts'
import { createStore } from '../../../lib/store.ts'

export type Selection = {
  readonly ids: ReadonlySet<string>
  /** The row with the tab stop. A range extends from `anchorId` to it. */
  readonly currentId: string
  /** Null: the selection began with Shift, and the range starts at the open thread. */
  readonly anchorId: string | null
}

/** Null: nothing is selected, and a press opens a thread. */
export const selection = createStore<Selection | null>(null)

const load = () => import('./selecting.tsx')
export const SelectableRow = lazyPart(() => load().then((module) => module.SelectableRow))
export const SelectionBar = lazyPart(() => load().then((module) => module.SelectionBar))

/** The row that is dragged. */
export const draggedId = createStore<string | null>(null)
export const DropProjects = lazyPart(() => import('./drop-projects.tsx').then((module) => module.DropProjects))

export function drag(id: string): void {
  // Chromium ends a drag whose own event changes the page.
  setTimeout(() => draggedId.set(id))
  window.addEventListener('dragend', () => setTimeout(() => draggedId.set(null)), { once: true })
}

/** Waits for the code, so that the rows stay visible. */
export async function startSelection(id: string, isRange = false): Promise<void> {
  await Promise.all([SelectableRow.ready(), SelectionBar.ready()])
  selection.set({ ids: new Set([id]), currentId: id, anchorId: isRange ? null : id })
}
