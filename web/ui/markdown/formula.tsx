/**
 * A formula. KaTeX and its fonts are fetched with the first one; until they are here, and where they fail, the source stands in its place.
 * What is drawn carries MathML for those who do not see it, and its source for whoever copies a selection.
 */
import type katex from 'katex'
import { memo, useEffect, useMemo, useSyncExternalStore } from 'react'
import { laterModule } from './later-module.ts'
import { maxFormulaChars } from './math-rules.ts'
import type { MathKind } from './math-syntax.ts'
import './formula.css'

type Katex = typeof katex

const library = laterModule(() => import('./katex.ts').then(({ katex }): Katex => katex))

type FormulaProps = { readonly source: string; readonly kind: MathKind }

export const Formula = memo(function Formula({ source, kind }: FormulaProps) {
  const loaded = useSyncExternalStore(library.subscribe, library.current, library.current)
  const isClosed = kind !== 'open'
  useEffect(() => {
    if (isClosed) void library.load()
  }, [isClosed])
  const drawn = useMemo(() => (loaded && isClosed ? draw(loaded, source, kind === 'display') : null), [loaded, source, kind, isClosed])
  const isBlock = kind !== 'inline'
  if (drawn?.node) {
    const { node } = drawn
    return (
      <span
        className={isBlock ? 'md-math-block' : 'md-math'}
        tabIndex={isBlock ? 0 : undefined}
        ref={(place) => place?.replaceChildren(node)}
      />
    )
  }
  if (source === '') return null
  return (
    <>
      <code className={isBlock ? 'md-math-source' : undefined}>{source}</code>
      {drawn && <span className="md-note"> ({drawn.problem})</span>}
    </>
  )
})

type Drawn = { readonly node: Node; readonly problem?: never } | { readonly node: null; readonly problem: string }

/**
 * What defines a command, and the library's own commands (those with an @), one of which keeps what it is given as well. The library counts how
 * often commands are replaced and not by how much, so with these a short formula could stand for one of millions of characters.
 */
const defines = /\\(?:[egx]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand)(?![A-Za-z@])|\\[A-Za-z]*@/

function draw(library: Katex, source: string, displayMode: boolean): Drawn {
  if (source.length > maxFormulaChars) return { node: null, problem: 'too long to be drawn' }
  if (defines.test(source)) return { node: null, problem: 'a formula that defines commands is not drawn' }
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
    return { node: place.firstChild ?? place }
  } catch {
    // Whatever is wrong with it, a stack that ended included.
    return { node: null, problem: 'this formula could not be drawn' }
  }
}
