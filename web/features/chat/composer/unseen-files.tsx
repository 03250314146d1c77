/** Earlier files that the selected model cannot read: the model receives only their names, and this notice says so. */

import { unseenFiles } from '../../../../worker/contract/files/unseen-files.ts'
import { pathTo } from '../../../../worker/contract/threads/branches.ts'
import type { ModelRow, ThreadWithMessages } from '../../../sync/rows.ts'
import type { Editing } from './draft.ts'
import { Notice } from './notice.tsx'
import { t } from './texts/en.ts'
import { unseenText } from './unseen-text.ts'

type UnseenFilesProps = { readonly model: ModelRow; readonly thread: ThreadWithMessages; readonly editing: Editing | null }

export function UnseenFiles({ model, thread: { messages, headId }, editing }: UnseenFilesProps) {
  // Editing a message drops it and the later ones from the path.
  const endId = editing ? editing.parentId : headId
  const unseen = unseenFiles(
    model,
    pathTo(messages, endId).map(({ message }) => message),
  )
  if (!unseen) return null
  return <Notice>{t('unseenNote', { model: model.name, files: unseenText(unseen), count: unseen.images + unseen.documents })}</Notice>
}
