/** Files said earlier that the chosen model cannot read: it is told of them by name, and the person is told that. */
import { useMemo } from 'react'
import { pathTo } from '../../../worker/contract/branches.ts'
import { canRead, fileKindOf, filesOf } from '../../../worker/contract/files.ts'
import type { ModelRow, ThreadWithMessages } from '../../sync/rows.ts'
import { Notice } from './notice.tsx'

export function UnseenFiles({ model, thread }: { readonly model: ModelRow; readonly thread: ThreadWithMessages }) {
  const { messages, headId } = thread
  const unseen = useMemo(
    () =>
      pathTo(messages, headId)
        .flatMap(({ message }) => filesOf(message))
        .map(({ mediaType }) => fileKindOf(mediaType))
        .filter((kind) => !canRead(model, kind)),
    [messages, headId, model],
  )
  if (unseen.length === 0) return null
  const images = unseen.filter((kind) => kind === 'image').length
  const what = [countOf(images, 'image'), countOf(unseen.length - images, 'PDF')].filter(Boolean).join(' and ')
  return (
    <Notice>
      {model.name} cannot read the {what} earlier in this thread. It is told only that {unseen.length === 1 ? 'it is' : 'they are'} there.
    </Notice>
  )
}

const countOf = (count: number, name: string): string => (count === 0 ? '' : count === 1 ? name : `${count} ${name}s`)
