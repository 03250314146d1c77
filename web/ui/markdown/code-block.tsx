/** A code block: language, copy button, wrapped or scrolling lines, colours. */
import { Check, Copy, WrapText } from 'lucide-react'
import { memo, type ReactNode, useEffect, useRef, useState } from 'react'
import { useLatest } from '../../lib/use-stable.ts'
import { Button } from '../button.tsx'
import type { Token } from '../code-colours/highlight.ts'
import { isDiagram, languageName } from '../code-colours/language-names.ts'
import { languageOf, loadLanguage } from '../code-colours/languages.ts'
import { CopiedStatus, useCopy } from '../copy-button.tsx'
import { IconButton } from '../icon-button.tsx'
import { scrollTabStop } from '../scroll-tab-stop.ts'
import { rightToLeft } from './directions.ts'
import { t } from './texts/en.ts'

type CodeBlockProps = {
  readonly code: string
  readonly language: string
  readonly isGrowing?: boolean
  /** An additional button, before the others. */
  readonly action?: ReactNode
  /** A note below the code. */
  readonly note?: string | undefined
}

export const CodeBlock = memo(function CodeBlock({ code, language, isGrowing = false, action, note }: CodeBlockProps) {
  const [isWrapped, setWrapped] = useState(false)
  const tokens = useHighlighted(code, language, isGrowing)
  const latest = useLatest(code)
  return (
    <div className="md-code">
      <CodeHead language={language} code={latest} isWrapped={isWrapped} onWrap={setWrapped} action={action} />
      <pre ref={scrollTabStop} data-wrap={isWrapped || undefined}>
        <code>
          {chunksOf(tokens).map((chunk, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: runs of lines have no identity but their place
            <Chunk key={index} chunk={chunk} language={languageOf(language)} />
          ))}
        </code>
      </pre>
      {note && <p className="md-note">{note}</p>}
    </div>
  )
})

type CodeHeadProps = {
  readonly language: string
  /** Read when the button is pressed, so that growing code does not render the head. */
  readonly code: { readonly current: string }
  /** Absent for a picture. */
  readonly isWrapped?: boolean
  readonly onWrap?: (isWrapped: boolean) => void
  readonly action?: ReactNode
}

/** Stays in view while a long block scrolls. */
export const CodeHead = memo(function CodeHead({ language, code, isWrapped, onWrap, action }: CodeHeadProps) {
  const { isCopied, copy } = useCopy(() => code.current)
  return (
    <div className="md-code-head">
      <span className="truncate">{isDiagram(language) ? t('diagram') : languageName(language)}</span>
      <span className="flex touch:gap-2">
        {action}
        {onWrap && (
          <IconButton size="sm" label={t('wrapLines')} aria-pressed={isWrapped} onClick={() => onWrap(!isWrapped)}>
            <WrapText />
          </IconButton>
        )}
        <Button
          variant="ghost"
          size="sm"
          aria-label={t('copyCode')}
          className="gap-1.5! px-2! font-sans text-muted-foreground! hover:text-foreground!"
          onClick={() => void copy()}
        >
          {isCopied ? <Check className="size-3.5" aria-hidden="true" /> : <Copy className="size-3.5" aria-hidden="true" />}
          {/* As wide as the longer word, so that the buttons stay in place. */}
          <span className="grid text-left *:col-start-1 *:row-start-1">
            <span className={isCopied ? 'invisible' : undefined}>{t('copy')}</span>
            <span className={isCopied ? undefined : 'invisible'}>{t('copied')}</span>
          </span>
        </Button>
        <CopiedStatus isCopied={isCopied} />
      </span>
    </div>
  )
})

const Chunk = memo(
  function Chunk({ chunk, language }: { readonly chunk: CodeChunk; readonly language: string | null }) {
    return (
      <span>
        {chunk.tokens.map((token, index) =>
          token.className ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
            <span key={index} className={token.className}>
              {textOf(token, language)}
            </span>
          ) : (
            textOf(token, language)
          ),
        )}
      </span>
    )
  },
  (before, after) => before.chunk.signature === after.chunk.signature && before.language === after.language,
)

const textOf = (token: Token, language: string | null): ReactNode => {
  const pieces = piecesOf(token, language)
  if (pieces.every(({ isIsolated }) => !isIsolated)) return token.text
  return pieces.map(({ text, isIsolated }, index) =>
    isIsolated ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
      <bdi key={index} dir="ltr">
        {text}
      </bdi>
    ) : (
      text
    ),
  )
}

/* Splits code into groups of lines, so that React skips unchanged groups when a long block grows or is highlighted again. */

type CodeChunk = { readonly tokens: readonly Token[]; readonly signature: string }

const linesPerChunk = 24

export const chunksOf = (tokens: readonly Token[]): readonly CodeChunk[] => {
  const chunks: CodeChunk[] = []
  let current: Token[] = []
  let lines = 0
  const finish = () => {
    if (current.length > 0) chunks.push({ tokens: current, signature: signatureOf(current) })
    current = []
    lines = 0
  }
  for (const { className, text } of tokens) {
    let from = 0
    while (from < text.length) {
      const newline = text.indexOf('\n', from)
      const to = newline === -1 ? text.length : newline + 1
      append(current, className, text.slice(from, to))
      from = to
      if (newline !== -1) lines += 1
      if (lines === linesPerChunk) finish()
    }
  }
  finish()
  return chunks
}

const append = (tokens: Token[], className: string | null, text: string): void => {
  const last = tokens.at(-1)
  if (last && last.className === className) tokens[tokens.length - 1] = { className, text: last.text + text }
  else tokens.push({ className, text })
}

const signatureOf = (tokens: readonly Token[]): string =>
  tokens.map(({ className, text }) => `${className ?? ''}\u0000${text}`).join('\u0001')

/*
 * Code is laid out from left to right token by token, in any script. Without isolation, a browser treats two Hebrew names and the operator
 * between them as one right-to-left phrase and reorders them. Right-to-left tokens are therefore isolated. Strings, comments and
 * mostly-prose languages keep the natural order. No side effects.
 */

/** Their uncoloured text is prose. */
const prose: ReadonlySet<string> = new Set(['markdown', 'latex', 'xml', 'diff'])

type Piece = { readonly text: string; readonly isIsolated: boolean }

/** A name that starts with a right-to-left letter, up to the end of its letters, marks and digits. */
const names = new RegExp(`((?:${rightToLeft.source})[\\p{L}\\p{M}\\p{N}_]*)`, 'u')

/** `language`: the highlighting language; null for none. */
export function piecesOf({ className, text }: Token, language: string | null): readonly Piece[] {
  if (!rightToLeft.test(text)) return [{ text, isIsolated: false }]
  if (className !== null || language === null || prose.has(language)) return [{ text, isIsolated: true }]
  return text
    .split(names)
    .map((piece, at) => ({ text: piece, isIsolated: at % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}

/*
 * The tokens of a code block. A growing block is highlighted at line ends, at most a few times a second, and later text stays plain until
 * then: highlighted lines never lose their colours.
 */

type Highlighter = typeof import('../code-colours/highlight.ts')

type Coloured = { readonly code: string; readonly tokens: readonly Token[] }

const pauseMs = 150
/** Chosen: highlighting takes about 1 ms per 5 KB. Growing code is highlighted repeatedly, finished code once. */
const maxGrowingChars = 16_000
const maxChars = 200_000

let loaded: Highlighter | null = null

const load = async (): Promise<Highlighter> => {
  loaded ??= await import('../code-colours/highlight.ts')
  return loaded
}

const prepare = async (language: string): Promise<void> => {
  if (loaded?.isLanguageReady(language)) return
  // Both together: registering the language requires the highlighter.
  const [{ prepareLanguage }] = await Promise.all([load(), loadLanguage(language)])
  await prepareLanguage(language)
}

const wholeLines = (code: string, isGrowing: boolean): string => (isGrowing ? code.slice(0, code.lastIndexOf('\n') + 1) : code)

function useHighlighted(code: string, name: string, isGrowing: boolean): readonly Token[] {
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
