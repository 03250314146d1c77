/**
 * A formula. KaTeX and its fonts are fetched with the first one; until they are here, and where they fail, the source stands in its place.
 * What is drawn carries MathML for those who do not see it, and its source for whoever copies a selection.
 */
import type katex from 'katex'
import { memo, useContext, useEffect, useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import { linkClass } from '../link-class.ts'
import type { Leave } from './formula-allowance.ts'
import { coversWords } from './formula-moves.ts'
import { FormulaPlace } from './formula-place.tsx'
import { laterModule } from './later-module.ts'
import { maxFormulaChars } from './math-rules.ts'
import type { MathKind } from './math-syntax.ts'
import './formula.css'

type Katex = typeof katex

const library = laterModule(() => import('./katex.ts').then(({ katex }): Katex => katex))

type FormulaProps = {
  readonly source: string
  readonly kind: MathKind
  /** Where it begins in what was parsed with it. */
  readonly at: number
}

export const Formula = memo(function Formula({ source, kind, at }: FormulaProps) {
  const loaded = useSyncExternalStore(library.subscribe, library.current, library.current)
  const isClosed = kind !== 'open'
  useEffect(() => {
    if (isClosed) void library.load()
  }, [isClosed])
  const refusal = isClosed ? refusalOf(source) : null
  const { allowance, from } = useContext(FormulaPlace)
  const place = from + at
  const isReady = loaded !== null && isClosed && refusal === null
  // Before the page is shown, so that what has leave is never seen as its source.
  useLayoutEffect(() => (isReady ? allowance.enter(place, source) : undefined), [isReady, allowance, place, source])
  const leaveNow = (): Leave => (isReady ? allowance.leaveOf(place, source) : 'waiting')
  const leave = useSyncExternalStore(allowance.subscribe, leaveNow, leaveNow)
  const drawn = useMemo(
    () => (loaded && leave === 'drawn' ? draw(loaded, source, kind === 'display') : null),
    [loaded, leave, source, kind],
  )
  const isBlock = kind !== 'inline'
  if (drawn) {
    return (
      <span
        className={isBlock ? 'md-math-block' : inlineClass(source)}
        tabIndex={isBlock ? 0 : undefined}
        ref={(span) => span?.replaceChildren(drawn)}
      />
    )
  }
  if (source === '') return null
  const problem = refusal ?? (leave === 'drawn' ? 'this formula could not be drawn' : null)
  return (
    <>
      <code className={isBlock ? 'md-math-source' : undefined}>{source}</code>
      {problem && <span className="md-note"> ({problem})</span>}
      {leave === 'next' && (
        <span className="md-note">
          {' '}
          Many formulas: from here on they are not drawn yet.{' '}
          <button type="button" className={linkClass} onClick={allowance.allowMore}>
            Draw more
          </button>
        </span>
      )}
    </>
  )
})

const inlineClass = (source: string): string => (coversWords(source) ? 'md-math md-math-held' : 'md-math')

/**
 * What defines a command, and the library's own commands (those with an @), one of which keeps what it is given as well. The library counts how
 * often commands are replaced and not by how much, so with these a short formula could stand for one of millions of characters.
 */
const defines = /\\(?:[egx]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand)(?![A-Za-z@])|\\[A-Za-z]*@/

/** Why it is not given to the library, which would take long over it. */
function refusalOf(source: string): string | null {
  if (source.length > maxFormulaChars) return 'too long to be drawn'
  return defines.test(source) ? 'a formula that defines commands is not drawn' : null
}

/** Null for one that the library does not understand. */
function draw(library: Katex, source: string, displayMode: boolean): Node | null {
  const place = document.createElement('span')
  try {
    library.render(source, place, {
      displayMode,
      // A link or an image of its own would be another way to the outside; what may do so is drawn as the text it is.
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
    // Whatever is wrong with it, a stack that ended included.
    return null
  }
}
