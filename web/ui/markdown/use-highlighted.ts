/**
 * The tokens of a block of code. While it grows it is coloured again a few times a second, up to its last whole line, and the
 * rest stands behind it uncoloured: no line loses its colours again.
 */
import { useEffect, useRef, useState } from 'react'
import type { Token } from './highlight.ts'
import { languageOf } from './languages.ts'

type Highlighter = typeof import('./highlight.ts')

type Coloured = { readonly code: string; readonly tokens: readonly Token[] }

const pauseMs = 150
/** Colouring takes about 1 ms per 5 KB. Growing code is coloured again and again, finished code once. */
const maxGrowingChars = 16_000
const maxChars = 200_000

let loaded: Highlighter | null = null

const load = async (): Promise<Highlighter> => {
  loaded ??= await import('./highlight.ts')
  return loaded
}

export function useHighlighted(code: string, name: string, isGrowing: boolean): readonly Token[] {
  const language = languageOf(name)
  const [coloured, setColoured] = useState<Coloured | null>(() => colourNow(code, language, isGrowing))
  const latest = useRef({ code, isGrowing })
  latest.current = { code, isGrowing }
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const alive = useRef(true)

  useEffect(() => {
    alive.current = true
    return () => {
      alive.current = false
      if (timer.current) clearTimeout(timer.current)
      timer.current = null
    }
  }, [])

  useEffect(() => {
    if (!language || code === '' || coloured?.code === code) return
    const colour = async () => {
      const { isLanguageReady, prepareLanguage } = await load()
      if (!isLanguageReady(language)) await prepareLanguage(language)
      timer.current = null
      const next = colourNow(latest.current.code, language, latest.current.isGrowing)
      if (alive.current && next) setColoured(next)
    }
    if (!isGrowing && timer.current) {
      clearTimeout(timer.current)
      timer.current = null
    }
    // Code that cannot be coloured stays as it is: it can be read all the same.
    timer.current ??= setTimeout(() => void colour().catch(() => undefined), isGrowing ? pauseMs : 0)
  }, [code, language, isGrowing, coloured?.code])

  if (!coloured || !code.startsWith(coloured.code)) return [{ scope: null, text: code }]
  return coloured.code === code ? coloured.tokens : [...coloured.tokens, { scope: null, text: code.slice(coloured.code.length) }]
}

const colourNow = (code: string, language: string | null, isGrowing: boolean): Coloured | null => {
  if (!language || !loaded?.isLanguageReady(language) || code.length > (isGrowing ? maxGrowingChars : maxChars)) return null
  const whole = isGrowing ? code.slice(0, code.lastIndexOf('\n') + 1) : code
  return { code: whole, tokens: loaded.tokensOf(whole, language) }
}
