/**
 * Whether a formula could lay a part of itself over the words around it. Nearly every part stands in the space that the formula takes; what
 * stands beside it is put there by a few commands, and no formula that defines others is drawn. A formula that has none of them may lean out
 * of its space, as far as formula.css lets any.
 */

/** A size with a minus takes a part back over what came before it. Any minus counts: a size may be written in many ways. */
const sized = /\\(?:m?kern|[hm]skip|hspace|tmspace|raisebox|rule|above|genfrac)(?![A-Za-z])|\\(?:\\|cr|newline)\s*\*?\s*\[/

/** A part as high as one likes that takes no height. */
const flattened = /\\smash(?![A-Za-z])/

/** Ink that leans out: the limits of a sum do, so these alone cover nothing that could not be read through them. */
const leaning = /\\(?:(?:math)?[lrc]lap|[hv]phantom|neg(?:thin|med|thick)space)(?![A-Za-z])|\\!/

/** What could not be read through. */
const covering = /\\(?:f?colorbox|(?:text)?color|rule|large|Large|LARGE|huge|Huge)(?![A-Za-z])/

export const coversWords = (source: string): boolean =>
  flattened.test(source) || (sized.test(source) && source.includes('-')) || (leaning.test(source) && covering.test(source))
