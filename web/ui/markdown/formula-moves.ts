/**
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
