/** Markdown without its marks and the tags that are drawn, which approximates the rendered text. A single tilde is no mark. */
export const withoutMarks = (markdown: string): string =>
  markdown
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(drawnTags, '')
    .replace(/[*`#|]+|~~+/g, '')

/** The names in `web/ui/streaming-markdown/tags.ts`. */
export const drawnTags = /<\/?(?:sub|sup|kbd|mark|u)\s*>/gi
