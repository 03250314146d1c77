/**
 * The tokens of a code block. A growing block is highlighted at line ends, at most a few times a second, and later text stays plain until
 * then: highlighted lines never lose their colours.
 */
import { useEffect, useRef, useState } from 'react'
import { useLatest } from '../../lib/use-stable.ts'
import type { Token } from './highlight.ts'
import { languageOf, loadLanguage } from './languages.ts'

type Highlighter = typeof import('./highlight.ts')

type Coloured = { readonly code: string; readonly tokens: readonly Token[] }

const pauseMs = 150
/** Chosen: highlighting takes about 1 ms per 5 KB. Growing code is highlighted repeatedly, finished code once. */
const maxGrowingChars = 16_000
const maxChars = 200_000

let loaded: Highlighter | null = null

const load = async (): Promise<Highlighter> => {
  loaded ??= await import('./highlight.ts')
  return loaded
}

const prepare = async (language: string): Promise<void> => {
  if (loaded?.isLanguageReady(language)) return
  // Both together: registering the language requires the highlighter.
  const [{ prepareLanguage }] = await Promise.all([load(), loadLanguage(language)])
  await prepareLanguage(language)
}

const wholeLines = (code: string, isGrowing: boolean): string => (isGrowing ? code.slice(0, code.lastIndexOf('\n') + 1) : code)

export function useHighlighted(code: string, name: string, isGrowing: boolean): readonly Token[] {
  const language = languageOf(name)
  const [coloured, setColoured] = useState<Coloured | null>(() => colourNow(code, language, isGrowing))
  const latest = useLatest({ code, isGrowing })
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const lastMs = useRef(Number.NEGATIVE_INFINITY)
  const alive = useRef(true)

  useEffect(() => {
    alive.current = true
    return () => {
      alive.current = false
      if (timer.current) clearTimeout(timer.current)
      timer.current = null
    }
  }, [])

  // Starts with the first word, so that the highlighter loads during the first line.
  useEffect(() => {
    if (language) void prepare(language).catch(() => undefined)
  }, [language])

  const whole = wholeLines(code, isGrowing)
  useEffect(() => {
    if (!language || whole === '' || coloured?.code === whole) return
    const colour = async () => {
      await prepare(language)
      timer.current = null
      lastMs.current = performance.now()
      const next = colourNow(latest.current.code, language, latest.current.isGrowing)
      if (alive.current && next) setColoured(next)
    }
    if (!isGrowing && timer.current) {
      clearTimeout(timer.current)
      timer.current = null
    }
    // Code that cannot be highlighted stays plain.
    const waitMs = isGrowing ? Math.max(0, lastMs.current + pauseMs - performance.now()) : 0
    if (!timer.current) timer.current = setTimeout(() => void colour().catch(() => undefined), waitMs)
  }, [whole, language, isGrowing, coloured?.code, latest])

  if (!coloured || !code.startsWith(coloured.code)) return [{ className: null, text: code }]
  return coloured.code === code ? coloured.tokens : [...coloured.tokens, { className: null, text: code.slice(coloured.code.length) }]
}

const colourNow = (code: string, language: string | null, isGrowing: boolean): Coloured | null => {
  if (!language || !loaded?.isLanguageReady(language) || code.length > (isGrowing ? maxGrowingChars : maxChars)) return null
  const whole = wholeLines(code, isGrowing)
  return { code: whole, tokens: loaded.tokensOf(whole, language) }
}
