/** The files of an export: Markdown of the shown branch, or JSON of all branches in the form of "Download my data". */
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { threadMarkdown } from '../message/copied-text.ts'
import { shownMessagesOf } from '../message/shown-messages.ts'

type ThreadFile = { readonly name: string; readonly type: string; readonly text: string }

export const markdownFile = (threads: readonly ThreadWithMessages[], base: string): ThreadFile => ({
  name: `${nameOf(threads)}.md`,
  type: 'text/markdown',
  text: `${threads.map((thread) => threadMarkdown(thread.title, shownMessagesOf(thread), base)).join('\n\n---\n\n')}\n`,
})

/** `userId`: an import of the same user then keeps the ids. The reader of the import expects `product` first and `user` before `messages`. */
export function jsonFile(threads: readonly ThreadWithMessages[], userId: string, nowMs: number): ThreadFile {
  const rows = threads.map(({ id, title, headId, effort, projectId, pinnedAt, archivedAt, createdAt, updatedAt }) => ({
    ...{ id, title, headId, effort, projectId, pinnedAt, archivedAt, createdAt, updatedAt },
  }))
  const messages = threads.flatMap((thread) =>
    thread.messages.map(({ id, threadId, parentId, createdAt, message }) => ({ id, threadId, parentId, createdAt, message })),
  )
  const file = { product: 'Parley', exportedAt: new Date(nowMs).toISOString(), user: [{ id: userId }], threads: rows, messages }
  return { name: `${nameOf(threads)}.json`, type: 'application/json', text: `${JSON.stringify(file, null, 1)}\n` }
}

/** Characters that no file system refuses. */
function nameOf([first, ...others]: readonly ThreadWithMessages[]): string {
  const title = (others.length > 0 ? '' : (first?.title ?? ''))
    .replace(/[^\p{L}\p{N} _-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return title.slice(0, 80).trim() || 'parley'
}
