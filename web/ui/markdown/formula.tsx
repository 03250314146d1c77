/**
 * A formula. KaTeX and its fonts load with the first one; until then, and if rendering fails, the source is shown. The result includes
 * MathML for screen readers, and its source for copied selections.
 */
import type katex from 'katex'
import { memo, useContext, useEffect, useLayoutEffect, useSyncExternalStore } from 'react'
import { linkClass } from '../button.tsx'
import type { MathKind } from '../streaming-markdown/answer-syntax.ts'
import { coversWords, definesCommand, isChemistry, katexLimits } from '../streaming-markdown/formula-limits.ts'
import { maxFormulaChars } from '../streaming-markdown/math-rules.ts'
import { FormulaPositionContext, type RenderState } from './formula-allowance.tsx'
import { lazyModule } from './lazy-module.ts'
import './formula.css'
import { scrollTabStop } from '../scroll-tab-stop.ts'
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

/** Why the formula is not rendered: it would take too long. */
function refusalOf(source: string): string | null {
  if (source.length > maxFormulaChars) return t('formulaTooLong')
  return definesCommand(source) ? t('formulaDefines') : null
}

/** Null if KaTeX cannot parse it. */
function draw(library: Katex, source: string, displayMode: boolean): Node | null {
  const place = document.createElement('span')
  try {
    library.render(source, place, {
      ...katexLimits,
      displayMode,
      throwOnError: true,
      errorColor: 'var(--danger)',
      macros: {},
    })
    return place.firstChild ?? place
  } catch {
    // Any error, including a stack overflow.
    return null
  }
}
