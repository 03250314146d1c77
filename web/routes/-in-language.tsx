import { Fragment, type ReactNode, useEffect } from 'react'
import { loadedLanguage } from '../lib/i18n/language.ts'
import { applyLanguage } from '../lib/i18n/start-language.ts'
import { useStored } from '../lib/store.ts'
import { useMe } from '../sync/hooks.ts'

/** Applies the language of the settings, live. A new language remounts the children, because texts are read while rendering. */
export function InLanguage({ children }: { readonly children: ReactNode }) {
  const setting = useMe()?.setting
  const language = useStored(loadedLanguage, (loaded) => loaded.language)
  useEffect(() => {
    if (setting) applyLanguage(setting.language)
  }, [setting])
  return <Fragment key={language}>{children}</Fragment>
}
