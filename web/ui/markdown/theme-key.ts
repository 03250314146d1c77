/** A value that changes with the theme and mode, for content that does not use the stylesheet's colours. */
import { useSyncExternalStore } from 'react'

const systemDark = () => matchMedia('(prefers-color-scheme: dark)')

const subscribe = (listener: () => void) => {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['class'] })
  const system = systemDark()
  system.addEventListener('change', listener)
  return () => {
    observer.disconnect()
    system.removeEventListener('change', listener)
  }
}

const current = () => `${document.documentElement.className} ${systemDark().matches ? 'dark' : 'light'}`

export const useThemeKey = (): string => useSyncExternalStore(subscribe, current, () => '')
