/** Earlier files that the selected model cannot read: the model receives only their names, and this notice says so. */
import { useMemo } from 'react'
import { pathTo } from '../../../../worker/contract/branches.ts'
import { unseenFiles } from '../../../../worker/contract/unseen-files.ts'
import type { ModelRow, ThreadWithMessages } from '../../../sync/rows.ts'
import type { Editing } from './drafts.ts'
import { Notice } from './notice.tsx'

type UnseenFilesProps = { readonly model: ModelRow; readonly thread: ThreadWithMessages; readonly editing: Editing | null }

export function UnseenFiles({ model, thread: { messages, headId }, editing }: UnseenFilesProps) {
  // Editing a message drops it and the later ones from the path.
  const endId = editing ? editing.parentId : headId
  const unseen = useMemo(
    () =>
      unseenFiles(
        model,
        pathTo(messages, endId).map(({ message }) => message),
      ),
    [messages, endId, model],
  )
  if (!unseen) return null
  return (
    <Notice>
      {model.name} cannot read the {unseen.what} earlier in this thread. It is told only that {unseen.count === 1 ? 'it is' : 'they are'}{' '}
      there.
    </Notice>
  )
}
