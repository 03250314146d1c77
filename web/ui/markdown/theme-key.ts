/** What the page wears, as a value that changes with it: for what is drawn in colours of its own instead of the stylesheet's. */
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
