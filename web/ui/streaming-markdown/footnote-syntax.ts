/**
 * Footnotes of GFM: `[^label]` refers to `[^label]: content`, in the app and on shared pages. A definition contains what is indented by four
 * columns, and lazy lines. It may stand in a quote or an item; its content is drawn below the text.
 */
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'

const contentColumns = 4

/** Characters, as in a reference (CommonMark 0.31, section 4.7). */
const maxLabelChars = 999
const reference = new RegExp(`\\[\\^([^\\][\\s]{1,${maxLabelChars}})\\]`, 'y')
const definition = new RegExp(`\\[\\^([^\\][\\s]{1,${maxLabelChars}})\\]:[ \\t]*`, 'y')

/** `footnotes`: the labels that are defined, as `labelOf` writes them. */
export type FootnoteEnv = { readonly footnotes: Set<string> }

export const labelOf = (label: string): string => label.toLowerCase().toUpperCase()

export function addFootnotes({ block, inline }: MarkdownIt): void {
  block.ruler.before('reference', 'footnote', footnote, { alt: ['paragraph', 'reference', 'blockquote'] })
  inline.ruler.before('link', 'footnote', footnoteReference)
}

function footnote(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= contentColumns) return false
  definition.lastIndex = start
  const [marker, label = ''] = definition.exec(state.src) ?? []
  if (marker === undefined || definition.lastIndex > (state.eMarks[startLine] ?? 0)) return false
  if (silent) return true
  ;(state.env as FootnoteEnv).footnotes.add(labelOf(label))
  const open = state.push('footnote_open', '', 1)
  open.meta = { label: labelOf(label) }
  const { blkIndent, parentType } = state
  const [bMark, tShift, sCount] = [state.bMarks[startLine] ?? 0, state.tShift[startLine] ?? 0, state.sCount[startLine] ?? 0]
  state.bMarks[startLine] = start + marker.length
  state.tShift[startLine] = 0
  state.blkIndent += contentColumns
  state.sCount[startLine] = state.blkIndent
  state.parentType = 'footnote' as typeof parentType
  state.md.block.tokenize(state, startLine, endLine)
  state.parentType = parentType
  state.blkIndent = blkIndent
  state.bMarks[startLine] = bMark
  state.tShift[startLine] = tShift
  state.sCount[startLine] = sCount
  open.map = [startLine, state.line]
  state.push('footnote_close', '', -1)
  return true
}

function footnoteReference(state: StateInline, silent: boolean): boolean {
  reference.lastIndex = state.pos
  const label = reference.exec(state.src)?.[1]
  if (label === undefined || reference.lastIndex > state.posMax) return false
  if (!(state.env as FootnoteEnv).footnotes.has(labelOf(label))) return false
  if (!silent) state.push('footnote_reference', '', 0).meta = { label: labelOf(label) }
  state.pos = reference.lastIndex
  return true
}
