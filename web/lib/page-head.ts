/** Title, theme and theme color of the document. */
import { useEffect } from 'react'
import { themeClasses } from '../../worker/contract/themes.ts'

export const productName = 'Parley'

/** Sets the document title while mounted, then restores the product's name. */
export function usePageTitle(title: string | null | undefined): void {
  useEffect(() => {
    document.title = title || productName
  }, [title])
}

type Appearance = { readonly mode?: Parameters<typeof themeClasses>[0]; readonly theme?: Parameters<typeof themeClasses>[1] }

/** Applies mode and theme of the settings. Until they are loaded, the page keeps the server's classes. */
export function usePageTheme(setting: Appearance | undefined): void {
  const classes = setting && themeClasses(setting.mode, setting.theme)
  useEffect(() => {
    if (classes === undefined) return
    document.documentElement.className = classes
    const background = getComputedStyle(document.documentElement).backgroundColor
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', background)
  }, [classes])
}
