/** The content's tables about conversations. Times are plain epoch ms here: these rows go to clients as they are. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AttachedFile, StoredType } from '../../contract/files.ts'
import type { ChatMessage, Ending } from '../../contract/messages.ts'
import type { TurnMode } from '../../contract/modes.ts'
import type { QueueEditor } from '../../contract/queue-editors.ts'
import type { QueueHold, ThreadStatus } from '../../contract/schema.ts'

export const thread = sqliteTable('thread', {
  id: text().primaryKey(),
  userId: text().notNull(),
  title: text(),
  status: text().$type<ThreadStatus>().default('ready'),
  streamId: text(),
  headId: text(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
  deletedAt: integer(),
  effort: text(),
})

export const message = sqliteTable('message', {
  id: text().primaryKey(),
  threadId: text().notNull(),
  userId: text().notNull(),
  parentId: text(),
  message: text({ mode: 'json' }).$type<ChatMessage>().notNull(),
  createdAt: integer(),
  updatedAt: integer(),
  deletedAt: integer(),
})

/** Guarded: a turn can come from it only while it is here. */
export const queuedMessage = sqliteTable('queuedMessage', {
  id: text().primaryKey(),
  threadId: text().notNull(),
  userId: text().notNull(),
  answerId: text().notNull(),
  text: text().notNull(),
  modelId: text().notNull(),
  effort: text(),
  mode: text().$type<TurnMode>(),
  hold: text().$type<QueueHold>(),
  createdAt: integer().notNull(),
  files: text({ mode: 'json' }).$type<readonly AttachedFile[]>(),
  editors: text({ mode: 'json' }).$type<readonly QueueEditor[]>(),
})

/** One assistant turn; `id` is that of the answer message. Guarded: it ends once. */
export const generation = sqliteTable('generation', {
  id: text().primaryKey(),
  userId: text().notNull(),
  threadId: text().notNull(),
  parentId: text().notNull(),
  modelId: text().notNull(),
  /** The interrupted answer that this one continues. */
  continueId: text(),
  status: text().$type<'open' | Ending>().notNull().default('open'),
  credits: integer().notNull(),
  day: integer().notNull(),
  createdAt: integer().notNull(),
  endedAt: integer(),
  error: text(),
  effort: text(),
  /** The queued message that it came from. */
  queuedId: text(),
  mode: text().$type<TurnMode>().notNull().default('chat'),
  /** Names the Durable Object that runs the turn. */
  writer: text().notNull(),
})

/** A file; its object in R2 is named by its id. Guarded: a message shows only files of its own person. */
export const attachment = sqliteTable('attachment', {
  id: text().primaryKey(),
  userId: text().notNull(),
  uploadId: text().notNull(),
  name: text().notNull(),
  mediaType: text().$type<StoredType>().notNull(),
  sizeBytes: integer().notNull(),
  etag: text(),
  storedAt: integer(),
  unusedSince: integer(),
  removedAt: integer(),
  createdAt: integer().notNull(),
})

/** The triggers of messages keep it; `hiddenSince` is kept by db/hidden-files.ts. */
export const attachmentUse = sqliteTable(
  'attachmentUse',
  {
    attachmentId: text().notNull(),
    holder: text().$type<'message' | 'queuedMessage'>().notNull(),
    holderId: text().notNull(),
    hiddenSince: integer(),
  },
  (table) => [primaryKey({ columns: [table.attachmentId, table.holder, table.holderId] })],
)
