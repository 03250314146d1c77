/** Visibility of the sidebar: docked on a wide window and persisted; a sheet on a narrow one and not persisted. */
import { withStorage } from '../../lib/browser-storage.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { useMedia } from '../../lib/viewport.ts'

const key = 'parley:sidebar'

const isOpenWhenWide = createStore(withStorage((storage) => storage.getItem(key)) !== 'closed')
const sheet = createStore(false)
/** 768 px, the start of Tailwind's `md`. */
const wideWindow = '(min-width: 48rem)'
const wide = window.matchMedia(wideWindow)
wide.addEventListener('change', () => sheet.set(false))

type SidebarState = { readonly isWide: boolean; readonly isOpen: boolean }

export function useSidebar(): SidebarState {
  const isWide = useMedia(wideWindow)
  const openWhenWideNow = useStore(isOpenWhenWide)
  const sheetNow = useStore(sheet)
  return { isWide, isOpen: isWide ? openWhenWideNow : sheetNow }
}

export const toggleSidebar = (): void => setSidebar(!(wide.matches ? isOpenWhenWide : sheet).get())

export function setSidebar(isOpen: boolean): void {
  if (!wide.matches) {
    sheet.set(isOpen)
    return
  }
  isOpenWhenWide.set(isOpen)
  withStorage((storage) => storage.setItem(key, isOpen ? 'open' : 'closed'))
}

/** On a narrow window, navigation closes the sheet. */
export const closeSheet = (): void => sheet.set(false)
