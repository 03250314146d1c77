/** The dialogs that move and share threads. One of each kind serves all components. Renaming has a field in place. */
import { lazyPart } from '../../lib/lazy-part.ts'
import { createStore, useStore, useStored } from '../../lib/store.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'

export const TitleField = lazyPart(() => import('./title-field.tsx').then((module) => module.TitleField))

type Place = 'sidebar' | 'header'

/** The thread being renamed, and where its title is a text field. */
export const renaming = createStore<{ readonly id: string; readonly place: Place } | null>(null)

export const useIsRenaming = (id: string, isIn: Place): boolean =>
  useStored(renaming, (renamed) => renamed?.id === id && renamed.place === isIn)

/** Waits for the code of the field, and for the menu or the palette that returns the focus when it closes. */
export async function startRenaming(id: string, place: Place): Promise<void> {
  await TitleField.ready()
  requestAnimationFrame(() => renaming.set({ id, place }))
}

/** The threads being moved to a project. */
export const moving = createStore<readonly ThreadRow[] | null>(null)
/** The id of the thread being shared. */
export const sharing = createStore<string | null>(null)

const OpenDialogs = lazyPart(() => import('./open-dialogs.tsx').then((module) => module.OpenDialogs))

export function ThreadDialogs() {
  const moved = useStore(moving)
  const shared = useStore(sharing)
  return <SectionErrorBoundary part="dialog">{(moved || shared) && <OpenDialogs moved={moved} shared={shared} />}</SectionErrorBoundary>
}
