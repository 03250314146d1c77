/**
 * Removes control and invisible characters from untrusted text, because they can hide instructions from the user, and lone surrogates, because
 * some providers reject them. One variation selector of an emoji stays. Line ends become newlines.
 */
export const visibleText = (text: string): string =>
  text
    .replace(/\r\n?|[\f\v\u0085\u2028\u2029]/g, '\n')
    .replace(/(\p{Emoji}\uFE0F)|[^\P{C}\n\t]|[\p{Default_Ignorable_Code_Point}\u2800]/gu, '$1')

/** Visible text in one line. */
export const oneLine = (text: string): string => visibleText(text).replace(/\s+/g, ' ').trim()
