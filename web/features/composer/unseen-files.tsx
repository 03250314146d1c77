/** Files said earlier that the chosen model cannot read: it is told of them by name, and the person is told that. */
import { useMemo } from 'react'
import { pathTo } from '../../../worker/contract/branches.ts'
import { unseenFiles } from '../../../worker/contract/unseen-files.ts'
import type { ModelRow, ThreadWithMessages } from '../../sync/rows.ts'
import { Notice } from './notice.tsx'

export function UnseenFiles({ model, thread }: { readonly model: ModelRow; readonly thread: ThreadWithMessages }) {
  const { messages, headId } = thread
  const unseen = useMemo(
    () =>
      unseenFiles(
        model,
        pathTo(messages, headId).map(({ message }) => message),
      ),
    [messages, headId, model],
  )
  if (!unseen) return null
  return (
    <Notice>
      {model.name} cannot read the {unseen.what} earlier in this thread. It is told only that {unseen.count === 1 ? 'it is' : 'they are'}{' '}
      there.
    </Notice>
  )
}
