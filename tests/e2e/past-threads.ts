/** Writes older threads into the database of a stopped product. */
import type { Product } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'

export type PastMessage = {
  readonly id: string
  readonly parentId: string | null
  readonly text: string
  readonly isAnswer?: boolean
  /** The model of an answer. Default: Kimi K2. */
  readonly modelId?: string
}

const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'moonshot', credits: 0, ending: 'completed' }

/** `headId` ends the shown branch. Messages are one millisecond apart. */
export function insertThread(
  { stateDir }: Pick<Product, 'stateDir'>,
  userId: string,
  threadId: string,
  title: string,
  at: number,
  headId: string,
  messages: readonly PastMessage[],
): void {
  const record = openRecord(stateDir)
  const thread = 'insert into thread (id, userId, title, headId, createdAt, updatedAt) values (?, ?, ?, ?, ?, ?)'
  record.prepare(thread).run(threadId, userId, title, headId, at, at)
  const row = record.prepare(
    'insert into message (id, threadId, userId, parentId, message, createdAt, updatedAt) values (?, ?, ?, ?, ?, ?, ?)',
  )
  for (const [n, { id, parentId, text, isAnswer, modelId = metadata.modelId }] of messages.entries()) {
    const parts = [{ type: 'text', text }]
    const message = isAnswer ? { id, role: 'assistant', parts, metadata: { ...metadata, modelId } } : { id, role: 'user', parts }
    row.run(id, threadId, userId, parentId, JSON.stringify(message), at + n, at + n)
  }
  record.close()
}

/** `Thread 1`, the newest, to `Thread n`, each with one message. */
export function insertThreads(product: Pick<Product, 'stateDir'>, userId: string, count: number): void {
  const nowMs = Date.now()
  for (let n = 1; n <= count; n++) {
    const messageId = `m${n}-${userId}`
    insertThread(product, userId, `t${n}-${userId}`, `Thread ${n}`, nowMs - n * 1000, messageId, [
      { id: messageId, parentId: null, text: 'Tea' },
    ])
  }
}
