/**
 * Footnotes of a shared answer: references become links to notes at the end of the answer, which link back. They are numbered in the order of
 * their first references, as in the app. Ids contain numbers only, and a prefix, because a page has several answers.
 */
import type { MarkdownIt, Token } from 'markdown-it'
import { addFootnotes } from '../../web/ui/streaming-markdown/footnote-syntax.ts'

export type FootnotesEnv = {
  /** Different for each answer of a page. */
  readonly idPrefix: string
  readonly footnotesName: string
  readonly backToReference: string
  /** The parser adds the labels that the answer defines. */
  readonly footnotes: Set<string>
}

/** Of a reference. `times`: the number of the reference to its note, from 1. */
type Reference = { readonly number: number; readonly times: number }
type Note = { readonly number: number; times: number }

export function addDrawnFootnotes(markdown: MarkdownIt): void {
  addFootnotes(markdown)
  const { core, renderer } = markdown
  core.ruler.push('footnotes-below', (state) => {
    if ((state.env as FootnotesEnv).footnotes.size === 0) return
    const { text, contents } = separate(state.tokens)
    const notes = new Map<string, Note>()
    numberReferences(text, notes)
    const token = (type: string, nesting: -1 | 0 | 1, meta: unknown = null): Token =>
      Object.assign(new state.Token(type, '', nesting), { meta })
    const below: Token[] = []
    // A map yields notes that are added meanwhile: a note may refer to other notes.
    for (const [label, note] of notes) {
      const content = contents.get(label) ?? []
      numberReferences(content, notes)
      const last = content.at(-1)?.type === 'paragraph_close' ? content.at(-2) : undefined
      const back = token('footnote_back', 0, note)
      last?.children?.push(back)
      below.push(token('note_open', 1, note), ...content, ...(last ? [] : [back]), token('note_close', -1))
    }
    state.tokens = below.length === 0 ? text : [...text, token('notes_open', 1), ...below, token('notes_close', -1)]
  })
  const { rules } = renderer
  rules.footnote_reference = (tokens, index, _options, env) => {
    const { number: shown, times } = metaOf<Reference>(tokens, index)
    const { idPrefix } = env as FootnotesEnv
    return `<sup id="${referenceId(idPrefix, shown, times)}" class="scroll-mt-20"><a href="#${noteId(idPrefix, shown)}">${shown}</a></sup>`
  }
  rules.footnote_back = (tokens, index, _options, env) => {
    const { number: shown, times } = metaOf<Note>(tokens, index)
    const { idPrefix, backToReference } = env as FootnotesEnv
    return Array.from({ length: times }, (_, at) => {
      const [name, mark] = at === 0 ? [shown, '↩'] : [`${shown}-${at + 1}`, `↩<sup>${at + 1}</sup>`]
      return ` <a href="#${referenceId(idPrefix, shown, at + 1)}" aria-label="${backToReference} ${name}">${mark}</a>`
    }).join('')
  }
  rules.notes_open = (_tokens, _index, _options, env) =>
    `<section aria-label="${(env as FootnotesEnv).footnotesName}" class="footnotes"><ol>\n`
  rules.notes_close = () => '</ol></section>\n'
  rules.note_open = (tokens, index, _options, env) =>
    `<li id="${noteId((env as FootnotesEnv).idPrefix, metaOf<Note>(tokens, index).number)}" class="scroll-mt-20">`
  rules.note_close = () => '</li>\n'
}

const metaOf = <Meta>(tokens: readonly Token[], index: number): Meta => (tokens[index] as Token).meta as Meta

const noteId = (prefix: string, shown: number): string => `${prefix}note-${shown}`
const referenceId = (prefix: string, shown: number, times: number): string => `${prefix}reference-${shown}${times > 1 ? `-${times}` : ''}`

/** The text without notes, and the content of each note. The first definition of a label counts. */
function separate(tokens: readonly Token[]): { readonly text: Token[]; readonly contents: ReadonlyMap<string, Token[]> } {
  const text: Token[] = []
  const contents = new Map<string, Token[]>()
  const open: Token[][] = []
  for (const token of tokens) {
    if (token.type === 'footnote_open') {
      const label = String(token.meta?.label)
      const content: Token[] = []
      if (!contents.has(label)) contents.set(label, content)
      open.push(content)
    } else if (token.type === 'footnote_close') open.pop()
    else (open.at(-1) ?? text).push(token)
  }
  return { text, contents }
}

function numberReferences(tokens: readonly Token[], notes: Map<string, Note>): void {
  for (const { children } of tokens) {
    for (const child of children ?? []) {
      if (child.type !== 'footnote_reference') continue
      const label = String(child.meta?.label)
      const note = notes.get(label) ?? { number: notes.size + 1, times: 0 }
      notes.set(label, note)
      note.times += 1
      child.meta = { number: note.number, times: note.times } satisfies Reference
    }
  }
}
