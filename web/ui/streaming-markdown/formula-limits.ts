/**
 * The limits of formulas, in the app and on shared pages: how much is rendered, and which formulas could harm the page. KaTeX renders the source of
 * a model.
 */

/** Chosen, in characters: as much as a long chapter contains. The most expensive formulas block the page for a second or two. */
export const allowedWork = 24_000

/** The work of the shortest formula, and of each table cell in addition to its text: about a dozen elements. */
const workOfAny = 20
const workOfCell = 5
/** Of each arrow of chemistry: 1.4 KB of elements for two characters, as measured. */
const workOfArrow = 15

/** The work to render a formula, in equivalent characters. */
export const workOf = (source: string): number =>
  source.length +
  workOfAny +
  workOfCell * (source.match(/&|\\\\/g)?.length ?? 0) +
  workOfArrow * (isChemistry(source) ? (source.match(/[-=]>|<-/g)?.length ?? 0) : 0)

export const isChemistry = (source: string): boolean => /\\(?:ce|pu)(?![A-Za-z@])/.test(source)

/** Options of KaTeX in both places. */
export const katexLimits = {
  // A link or an image in a formula could cause a request; such a command renders as text.
  trust: false,
  strict: 'ignore',
  maxExpand: 300,
  maxSize: 30,
} as const

/**
 * Commands that define other commands, and internal commands (those with an @). KaTeX limits the number of macro expansions but not their
 * size, so a short formula could expand to millions of characters.
 */
const definitions = /\\(?:[egx]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand)(?![A-Za-z@])|\\[A-Za-z]*@/

export const definesCommand = (source: string): boolean => definitions.test(source)

/*
 * Detects formulas that could cover surrounding text. Nearly all parts stay inside the box of the formula; only a few commands move parts
 * outside, and formulas that define commands are not rendered. Other formulas may overflow as far as the stylesheet allows.
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
