/**
 * Removes control and invisible characters from untrusted text, because they can hide instructions from the user, and lone surrogates, because
 * some providers reject them. Line ends become newlines.
 */
export const visibleText = (text: string): string => text.replace(/\r\n?|[\f\v\u0085]/g, '\n').replace(/[^\P{C}\n\t]/gu, '')
