/** A long paste that became an attachment. Its name has its length, so that every device shows it. */
import { fileAddress } from '../../../../worker/contract/files/files.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { composerField } from './composer-field.tsx'
import { draftOf, setDraft } from './drafts.ts'
import { t } from './texts/en.ts'

const extension = '.txt'

/** A file without a name is a pasted text. */
export async function namedFile(file: File): Promise<File> {
  if (file.name !== '') return file
  const name = t('pastedText', { count: [...(await file.text())].length })
  return new File([file], name + extension, { type: 'text/plain' })
}

/** The name on screen; null for another file. */
export const pastedName = (name: string): string | null =>
  name.startsWith(t('pasted')) && name.endsWith(extension) ? name.slice(0, -extension.length) : null

/** The text of a stored file. Null if it cannot be read now. */
export const readText = (id: string): Promise<string | null> =>
  fetch(publicUrls().apiUrl + fileAddress(id), { credentials: 'include' }).then(
    (response) => (response.ok ? response.text() : null),
    () => null,
  )

/** Inserts the text at the caret, as typing would, so that the field can undo it. */
export function insertText(draftKey: string, text: string): void {
  const field = composerField()
  field?.focus({ preventScroll: true })
  // Deprecated, and the only way to insert into the undo history of a field.
  if (field && document.execCommand('insertText', false, text)) return
  const { text: draft } = draftOf(draftKey).get()
  const at = field?.selectionStart ?? draft.length
  setDraft(draftKey, { text: draft.slice(0, at) + text + draft.slice(at) })
}
