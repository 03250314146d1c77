/** Files said earlier that the chosen model cannot read: it is told of them by name, and the person is told that. */
import { useMemo } from 'react'
import { pathTo } from '../../../worker/contract/branches.ts'
import { unseenFiles } from '../../../worker/contract/unseen-files.ts'
import type { Editing } from '../../stores/drafts.ts'
import type { ModelRow, ThreadWithMessages } from '../../sync/rows.ts'
import { Notice } from './notice.tsx'

type UnseenFilesProps = { readonly model: ModelRow; readonly thread: ThreadWithMessages; readonly editing: Editing | null }

export function UnseenFiles({ model, thread: { messages, headId }, editing }: UnseenFilesProps) {
  // An edited message leaves behind what was said from there on.
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
