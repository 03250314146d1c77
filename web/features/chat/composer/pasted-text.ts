/** A long paste that became an attachment. Its name has its length in characters, so that every device shows it, in any language. */
import { signatureBytes, typeOf } from '../../../../worker/contract/files/file-signature.ts'
import { fileAddress } from '../../../../worker/contract/files/files.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { maxPastedChars } from './composer-field.tsx'
import { draftOf, setDraft } from './drafts.ts'
import { t } from './texts/en.ts'

const pastedFile = /^pasted-(\d+)\.txt$/

/**
 * True if the text becomes an attachment. Not one of blanks, with control characters that no text file may have, or that begins as a picture or
 * a PDF does.
 */
export const isLongPaste = (text: string): boolean =>
  [...text].length > maxPastedChars &&
  text.trim() !== '' &&
  !text.includes('\0') &&
  !text.includes('\x1b') &&
  typeOf(new TextEncoder().encode(text.slice(0, signatureBytes))) === 'text/plain'

/** A file without a name is a pasted text. Null: it was inserted as text. */
export async function namedFile(draftKey: string, file: File, hasPlace: boolean): Promise<File | null> {
  if (file.name !== '') return file
  const text = await file.text()
  if (hasPlace && isLongPaste(text)) return new File([file], `pasted-${[...text].length}.txt`, { type: 'text/plain' })
  insertText(draftKey, text)
  return null
}

/** The name on screen; null for another file. */
export function pastedName(name: string): string | null {
  const count = pastedFile.exec(name)?.[1]
  return count === undefined ? null : t('pastedText', { count: Number(count) })
}

/** The text of a stored file. Null if it cannot be read now. */
export const readText = (id: string): Promise<string | null> =>
  fetch(publicUrls().apiUrl + fileAddress(id), { credentials: 'include' }).then(
    (response) => (response.ok ? response.text() : null),
    () => null,
  )

/**
 * Inserts the text at the caret, as typing would, so that the field can undo it. Another composer may be shown meanwhile: then the text is added
 * to the draft.
 */
export function insertText(draftKey: string, pasted: string): void {
  // A text field converts line breaks in the same way.
  const text = pasted.replace(/\r\n?/g, '\n')
  const field = document.querySelector<HTMLTextAreaElement>(`[data-composer="${CSS.escape(draftKey)}"] textarea`)
  field?.focus({ preventScroll: true })
  if (field && (insertHtml(field, text) || document.execCommand('insertText', false, text))) return
  const { text: draft } = draftOf(draftKey).get()
  const at = field?.selectionStart ?? draft.length
  setDraft(draftKey, { text: draft.slice(0, at) + text + draft.slice(at) })
}

/**
 * `execCommand` is deprecated, and the only way to insert into the undo history of a field. Chrome and Safari insert a text line by line, and each
 * line takes longer: 4,000 lines block the page for ten seconds or longer. They insert HTML at once, and a field keeps only its text. Firefox has
 * no HTML in fields, and a fast text.
 */
function insertHtml(field: HTMLTextAreaElement, text: string): boolean {
  const charsAfter = field.value.length - (field.selectionEnd - field.selectionStart) + text.length
  if (!document.execCommand('insertHTML', false, text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))) return false
  // Safari drops line breaks at the end.
  const missing = charsAfter - field.value.length
  if (missing > 0 && text.endsWith('\n')) document.execCommand('insertText', false, '\n'.repeat(missing))
  return true
}
