/** Markdown around texts of a file, so that no text can end its own block. */

/** Not `Math.max(...runs)`: a large text has more runs than a call may have arguments. */
const longestRun = (text: string): number => [...text.matchAll(/`+/g)].reduce((length, [run]) => Math.max(length, run.length), 0)

/** Chosen: a text with longer runs of backticks is made to break our reader. */
const maxTicks = 50

export function codeSpan(text: string): string {
  const ticks = '`'.repeat(Math.min(longestRun(text) + 1, maxTicks))
  const plain = text.replace(/\s+/g, ' ').trim()
  return ticks.length > 1 ? `${ticks} ${plain} ${ticks}` : ticks + plain + ticks
}

export function fenced(text: string, language = ''): string {
  const fence = '`'.repeat(Math.min(Math.max(3, longestRun(text) + 1), maxTicks))
  return `${fence}${/^[\w+#.-]{1,30}$/.test(language) ? language : ''}\n${text.replace(/\n$/, '')}\n${fence}`
}

/** A replacement in a file, of which neither text is lost. */
export function diff(before: string, after: string): string {
  const lines = (text: string, sign: string) => (text === '' ? [] : text.split('\n').map((line) => sign + line))
  return fenced([...lines(before, '-'), ...lines(after, '+')].join('\n'), 'diff')
}

/** Only the label for an address that is not of the web. */
export function link(label: string, url: string): string {
  const plain = (label.trim() || url).replace(/\s+/g, ' ').replace(/[[\]\\]/g, '\\$&')
  if (!/^https?:\/\/[^\s<>]+$/i.test(url)) return plain
  return `[${plain}](${/[()]/.test(url) ? `<${url}>` : url})`
}
