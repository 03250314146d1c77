/** Lines of Markdown, by the rules of CommonMark 0.31 and GFM. */

export const isBlank = (line: string): boolean => /^[ \t]*$/.test(line)

/** Possibly the delimiter row of a table. */
export const isDelimiterRow = (line: string): boolean => /^ {0,3}[-:|][-:| \t]*$/.test(line) && /[|:]/.test(line)
