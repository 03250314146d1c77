/** Visibility of the sidebar: docked on a wide window and persisted; a sheet on a narrow one and not persisted. */
import { withStorage } from '../../lib/browser-storage.ts'
import { createStore, useStore } from '../../lib/store.ts'

const key = 'parley:sidebar'

const isOpenWhenWide = createStore(withStorage((storage) => storage.getItem(key)) !== 'closed')
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
  const openWhenWideNow = useStore(isOpenWhenWide)
  const sheetNow = useStore(sheet)
  return { isWide: wideNow, isOpen: wideNow ? openWhenWideNow : sheetNow }
}

export const toggleSidebar = (): void => setSidebar(!(isWide.get() ? isOpenWhenWide : sheet).get())

export function setSidebar(isOpen: boolean): void {
  if (!isWide.get()) {
    sheet.set(isOpen)
    return
  }
  isOpenWhenWide.set(isOpen)
  withStorage((storage) => storage.setItem(key, isOpen ? 'open' : 'closed'))
}

/** On a narrow window, navigation closes the sheet. */
export const closeSheet = (): void => sheet.set(false)
