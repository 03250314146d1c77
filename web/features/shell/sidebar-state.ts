/** Visibility of the sidebar: docked on a wide window and persisted; a sheet on a narrow one and not persisted. */
import { createStore, useStore } from '../../lib/store.ts'

const key = 'parley:sidebar'

const beside = createStore(readRemembered())
const sheet = createStore(false)
/** 768 px, the start of Tailwind's `md`. */
const wide = window.matchMedia('(min-width: 48rem)')
const isWide = createStore(wide.matches)
wide.addEventListener('change', ({ matches }) => {
  sheet.set(false)
  isWide.set(matches)
})

export type SidebarState = { readonly isWide: boolean; readonly isOpen: boolean }

export function useSidebar(): SidebarState {
  const wideNow = useStore(isWide)
  const besideNow = useStore(beside)
  const sheetNow = useStore(sheet)
  return { isWide: wideNow, isOpen: wideNow ? besideNow : sheetNow }
}

export const toggleSidebar = (): void => setSidebar(!(isWide.get() ? beside : sheet).get())

export function setSidebar(isOpen: boolean): void {
  if (!isWide.get()) {
    sheet.set(isOpen)
    return
  }
  beside.set(isOpen)
  try {
    localStorage.setItem(key, isOpen ? 'open' : 'closed')
  } catch {
    // Storage may be blocked; the choice then lasts as long as the page.
  }
}

/** On a narrow window, navigation closes the sheet. */
export const closeSheet = (): void => sheet.set(false)

function readRemembered(): boolean {
  try {
    return localStorage.getItem(key) !== 'closed'
  } catch {
    return true
  }
}
