/** Markdown without its marks, which approximates the rendered text. */
export const withoutMarks = (markdown: string): string => markdown.replace(/[*`#|~]+/g, '')
