/**
 * A formula. KaTeX and its fonts load with the first one; until then, and if rendering fails, the source is shown. The result includes
 * MathML for screen readers, and its source for copied selections.
 */
import type katex from 'katex'
import { memo, useContext, useEffect, useLayoutEffect, useSyncExternalStore } from 'react'
import { linkClass } from '../button.tsx'
import type { MathKind } from '../streaming-markdown/answer-syntax.ts'
import { maxFormulaChars } from '../streaming-markdown/math-rules.ts'
import { FormulaPositionContext, isChemistry, type RenderState } from './formula-allowance.tsx'
import { lazyModule } from './lazy-module.ts'
import './formula.css'
import { scrollTabStop } from './scroll-tab-stop.ts'
import { t } from './texts/en.ts'

type Katex = typeof katex

const library = lazyModule(() => import('./katex.ts').then(({ katex }): Katex => katex))

/** The commands `\ce` and `\pu` for chemistry. Loading adds them to KaTeX. */
const chemistry = lazyModule(() => import('katex/contrib/mhchem').then(() => true))

type FormulaProps = {
  readonly source: string
  readonly kind: MathKind
  /** Its number in its block. Lower than the length of the block, so that the positions of blocks stay in order. */
  readonly at: number
}

export const Formula = memo(function Formula({ source, kind, at }: FormulaProps) {
  const katexModule = useSyncExternalStore(library.subscribe, library.current, library.current)
  const hasChemistry = useSyncExternalStore(chemistry.subscribe, chemistry.current, chemistry.current)
  const isClosed = kind !== 'open'
  const needsChemistry = isClosed && isChemistry(source)
  const loaded = needsChemistry && !hasChemistry ? null : katexModule
  useEffect(() => {
    if (isClosed) void library.load()
    if (needsChemistry) void chemistry.load()
  }, [isClosed, needsChemistry])
  const refusal = isClosed ? refusalOf(source) : null
  const { allowance, from } = useContext(FormulaPositionContext)
  const place = from + at
  const isReady = loaded !== null && isClosed && refusal === null
  // A layout effect, so that an allowed formula never flashes as source.
  useLayoutEffect(() => (isReady ? allowance.register(place, source) : undefined), [isReady, allowance, place, source])
  const leaveNow = (): RenderState => (isReady ? allowance.stateOf(place, source) : 'waiting')
  const leave = useSyncExternalStore(allowance.subscribe, leaveNow, leaveNow)
  const drawn = loaded && leave === 'drawn' ? draw(loaded, source, kind === 'display') : null
  const isBlock = kind !== 'inline'
  if (drawn) {
    return (
      <span
        className={isBlock ? 'md-math-block' : inlineClass(source)}
        ref={(span) => {
          span?.replaceChildren(drawn)
          return isBlock ? scrollTabStop(span) : undefined
        }}
      />
    )
  }
  if (source === '') return null
  const problem = refusal ?? (leave === 'drawn' ? t('formulaFailed') : null)
  return (
    <>
      <code className={isBlock ? 'md-math-source' : undefined}>{source}</code>
      {problem && <span className="md-note">{` (${problem})`}</span>}
      {leave === 'next' && (
        <span className="md-note">
          {' '}
          {t('manyFormulas')}{' '}
          <button type="button" className={linkClass} onClick={allowance.allowMore}>
            {t('drawMore')}
          </button>
        </span>
      )}
    </>
  )
})

const inlineClass = (source: string): string => (coversWords(source) ? 'md-math md-math-held' : 'md-math')

/**
 * Commands that define other commands, and internal commands (those with an @). KaTeX limits the number of macro expansions but not their
 * size, so a short formula could expand to millions of characters.
 */
const defines = /\\(?:[egx]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand)(?![A-Za-z@])|\\[A-Za-z]*@/

/** Why the formula is not rendered: it would take too long. */
function refusalOf(source: string): string | null {
  if (source.length > maxFormulaChars) return t('formulaTooLong')
  return defines.test(source) ? t('formulaDefines') : null
}

/** Null if KaTeX cannot parse it. */
function draw(library: Katex, source: string, displayMode: boolean): Node | null {
  const place = document.createElement('span')
  try {
    library.render(source, place, {
      displayMode,
      // A link or an image in a formula could cause a request; such a command renders as text.
      trust: false,
      strict: 'ignore',
      throwOnError: true,
      errorColor: 'var(--danger)',
      maxExpand: 300,
      maxSize: 30,
      macros: {},
    })
    return place.firstChild ?? place
  } catch {
    // Any error, including a stack overflow.
    return null
  }
}

/*
 * Detects formulas that could cover surrounding text. Nearly all parts stay inside the box of the formula; only a few commands move parts
 * outside, and formulas that define commands are not rendered. Other formulas may overflow as far as formula.css allows.
 */

/** A negative size moves a part back over earlier content. Any minus counts, because sizes have many notations. */
const sized = /\\(?:m?kern|[hm]skip|hspace|tmspace|raisebox|rule|above|genfrac)(?![A-Za-z])|\\(?:\\|cr|newline)\s*\*?\s*\[/

/** A part of any height that takes no height in the layout. */
const flattened = /\\smash(?![A-Za-z])/

/** Commands that overflow like the limits of a sum: text behind them stays readable. */
const leaning = /\\(?:(?:math)?[lrc]lap|[hv]phantom|neg(?:thin|med|thick)space)(?![A-Za-z])|\\!/

/** Commands that make covered text unreadable. */
const covering = /\\(?:f?colorbox|(?:text)?color|rule|large|Large|LARGE|huge|Huge)(?![A-Za-z])/

export const coversWords = (source: string): boolean =>
  flattened.test(source) || (sized.test(source) && source.includes('-')) || (leaning.test(source) && covering.test(source))
