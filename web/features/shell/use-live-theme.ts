import { useEffect } from 'react'
import { themeClasses } from '../../../worker/contract/themes.ts'
import { useMe } from '../../sync/hooks.ts'

/** Applies mode and theme of the settings, live. Until they are loaded, the page keeps the server's classes. */
export function useLiveTheme(): void {
  const setting = useMe()?.setting
  const classes = setting && themeClasses(setting.mode, setting.theme)
  useEffect(() => {
    if (classes === undefined) return
    document.documentElement.className = classes
    const background = getComputedStyle(document.documentElement).backgroundColor
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', background)
  }, [classes])
}
