/** Title, theme and theme color of the document. */
import { useEffect } from 'react'
import { themeClasses } from '../../worker/contract/themes.ts'
import { createStore, useStore } from './store.ts'

export const productName = 'Parley'

/** Threads with an answer that no page has shown. */
export const unreadCount = createStore(0)

/** Sets the document title, with the number of unread threads in front. Without a title it is the product's name. */
export function usePageTitle(title: string | null | undefined): void {
  const count = useStore(unreadCount)
  useEffect(() => {
    document.title = (count ? `(${count}) ` : '') + (title || productName)
  }, [title, count])
}

export type Appearance = { readonly mode?: Parameters<typeof themeClasses>[0]; readonly theme?: Parameters<typeof themeClasses>[1] }

/** Shown in place of the settings until the user chooses. */
export const previewedAppearance = createStore<Appearance | undefined>(undefined)

/** Applies mode and theme of the settings. Until they are loaded, the page keeps the server's classes. */
export function usePageTheme(setting: Appearance | undefined): void {
  const shown = useStore(previewedAppearance) ?? setting
  const classes = shown && themeClasses(shown.mode, shown.theme)
  useEffect(() => {
    if (classes === undefined) return
    document.documentElement.className = classes
    const background = getComputedStyle(document.documentElement).backgroundColor
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', background)
  }, [classes])
}
