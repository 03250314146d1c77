/** Quotes a text in the composer as Markdown. */
import { composerField } from './composer-field.tsx'
import { draftOf, setDraft } from './drafts.ts'

/** Inserts the quotation at the caret and moves the caret after it. */
export function quoteInComposer(draftKey: string, text: string): void {
  const field = composerField()
  const draft = draftOf(draftKey).get().text
  const next = withQuote(draft, text, field?.value === draft ? field.selectionStart : draft.length)
  setDraft(draftKey, { text: next.text })
  if (!field) return
  field.focus({ preventScroll: true })
  // After the field has the new text.
  requestAnimationFrame(() => {
    field.setSelectionRange(next.caret, next.caret)
    field.scrollTop = field.scrollHeight
  })
}

/** A blank line separates the quotation from the text before and after it. */
export function withQuote(draft: string, quoted: string, at: number): { readonly text: string; readonly caret: number } {
  const [before, after] = [draft.slice(0, at), draft.slice(at)]
  const lines = quoted.trim().split(/\r?\n/)
  const quotation = lines.map((line) => (line.trim() === '' ? '>' : `> ${line}`)).join('\n')
  const lead = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  const start = `${before}${lead}${quotation}\n\n`
  return { text: start + after.replace(/^\n{1,2}/, ''), caret: start.length }
}
