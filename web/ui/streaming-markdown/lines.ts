/** Block starts in one line of Markdown, by the rules of CommonMark 0.31 (sections 4 and 5) and GFM, for estimates and unfinished ends. */

const tabStop = 4

export const isBlank = (line: string): boolean => /^[ \t]*$/.test(line)

/** Columns of leading white space, with tab stops. */
export const indentOf = (line: string): number => {
  let column = 0
  for (const char of line) {
    if (char === ' ') column += 1
    else if (char === '\t') column += tabStop - (column % tabStop)
    else break
  }
  return column
}

export type Fence = { readonly char: string; readonly length: number; readonly indent: number; readonly info: string }

/** An opening code fence. The info string of a backtick fence contains no backtick. */
export const fenceAt = (line: string): Fence | null => {
  const match = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line)
  if (!match) return null
  const [, spaces = '', run = '', info = ''] = match
  return { char: run.charAt(0), length: run.length, indent: spaces.length, info: info.trim() }
}

export const closesFence = (line: string, fence: Pick<Fence, 'char' | 'length'>): boolean => {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)
  const run = match?.[1] ?? ''
  return run.charAt(0) === fence.char && run.length >= fence.length
}

export const isHeading = (line: string): boolean => /^ {0,3}#{1,6}(?:[ \t]|$)/.test(line)

export const isRule = (line: string): boolean => /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line)

/** Possibly the delimiter row of a table. */
export const isDelimiterRow = (line: string): boolean => /^ {0,3}[-:|][-:| \t]*$/.test(line) && /[|:]/.test(line)
