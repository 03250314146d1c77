/** Content tables of threads. Times are epoch ms, because clients receive these rows unchanged. */
import type { ReadonlyJSONValue } from '@rocicorp/zero'
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AttachedFile, StoredType } from '../../contract/files/files.ts'
import type { TurnMode } from '../../contract/models/modes.ts'
import type { QueueHold, ThreadStatus } from '../../contract/schema.ts'
import type { ComparedAnswer, OtherAnswer } from '../../contract/threads/comparison.ts'
import type { ChatMessage, Ending, ToolSourceName } from '../../contract/threads/messages.ts'
import type { ProjectColor, ProjectIcon } from '../../contract/threads/projects.ts'
import type { ApprovalCause } from '../../contract/tools/approvals.ts'
import type { InputAnswer, InputAsk } from '../../contract/tools/server-input.ts'

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
  tokens: integer(),
  microDollars: integer(),
  unpriced: integer(),
  pinnedAt: integer(),
  archivedAt: integer(),
  projectId: text(),
  unreadAt: integer(),
  noticedAt: integer(),
  expiresAt: integer(),
  compared: text({ mode: 'json' }).$type<readonly ComparedAnswer[]>(),
  turnCredits: integer(),
  offTools: text({ mode: 'json' }).$type<readonly string[]>(),
})

export const project = sqliteTable('project', {
  id: text().primaryKey(),
  userId: text().notNull(),
  name: text().notNull(),
  icon: text().$type<ProjectIcon>(),
  color: text().$type<ProjectColor>(),
  instructions: text(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
  deletedAt: integer(),
  modelId: text(),
  files: text({ mode: 'json' }).$type<readonly AttachedFile[]>(),
  offTools: text({ mode: 'json' }).$type<readonly string[]>(),
  isMemoryOff: integer({ mode: 'boolean' }),
})

/** `memoryBy`: the generation whose end reads the message for facts, on `memoryDay` (UTC). `memoryAt`: when it was read. Clients do not see them. */
export const message = sqliteTable('message', {
  id: text().primaryKey(),
  threadId: text().notNull(),
  userId: text().notNull(),
  parentId: text(),
  message: text({ mode: 'json' }).$type<ChatMessage>().notNull(),
  createdAt: integer(),
  updatedAt: integer(),
  deletedAt: integer(),
  bookmarkedAt: integer(),
  memoryBy: text(),
  memoryDay: integer(),
  memoryAt: integer(),
})

/** A guard allows a turn from a queued message only while its row exists. */
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
  compareWith: text({ mode: 'json' }).$type<readonly OtherAnswer[]>(),
  isTyped: integer({ mode: 'boolean' }),
  origins: text({ mode: 'json' }).$type<readonly string[]>(),
})

/** A shared link: a public page of a branch up to `messageId`. */
export const share = sqliteTable('share', {
  id: text().primaryKey(),
  userId: text().notNull(),
  threadId: text().notNull(),
  messageId: text().notNull(),
  title: text(),
  name: text(),
  isListed: integer({ mode: 'boolean' }).notNull().default(false),
  createdAt: integer().notNull(),
  expiresAt: integer(),
  revokedAt: integer(),
})

/** The summary of a path of messages. `id` is the last message of the path. */
export const summary = sqliteTable('summary', {
  id: text().primaryKey(),
  userId: text().notNull(),
  threadId: text().notNull(),
  text: text().notNull(),
  tokens: integer().notNull(),
  createdAt: integer().notNull(),
})

/** A saved prompt. */
export const prompt = sqliteTable('prompt', {
  id: text().primaryKey(),
  userId: text().notNull(),
  name: text().notNull(),
  text: text().notNull(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
  deletedAt: integer(),
})

/** The text in the composer of a thread, or of the next new thread. */
export const draft = sqliteTable('draft', {
  id: text().primaryKey(),
  userId: text().notNull(),
  threadId: text(),
  text: text().notNull(),
  revision: text().notNull(),
  updatedAt: integer().notNull(),
  deletedAt: integer(),
  origins: text({ mode: 'json' }).$type<readonly string[]>(),
})

/** A fact about the user. With the message that it is from, D1 deletes a fact that the user has not edited. */
export const memory = sqliteTable('memory', {
  id: text().primaryKey(),
  userId: text().notNull(),
  threadId: text().notNull(),
  messageId: text().notNull(),
  path: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
  text: text().notNull(),
  isPinned: integer({ mode: 'boolean' }),
  editedAt: integer(),
  barredMakers: text({ mode: 'json' }).$type<readonly string[]>(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
  deletedAt: integer(),
})

/** A tool call that needs the user's approval. Guards allow one decision. */
export const approval = sqliteTable('approval', {
  id: text().primaryKey(),
  userId: text().notNull(),
  threadId: text().notNull(),
  messageId: text().notNull(),
  toolCallId: text().notNull(),
  source: text({ mode: 'json' }).$type<ToolSourceName>().notNull(),
  tool: text().notNull(),
  title: text().notNull(),
  description: text().notNull(),
  digest: text().notNull(),
  input: text({ mode: 'json' }).$type<ReadonlyJSONValue>().notNull(),
  inputSchema: text({ mode: 'json' }).$type<ReadonlyJSONValue>(),
  state: text().$type<'pending' | 'allowed' | 'denied'>().notNull().default('pending'),
  isForThread: integer({ mode: 'boolean' }),
  isChanged: integer({ mode: 'boolean' }),
  reason: text(),
  answerId: text(),
  createdAt: integer().notNull(),
  expiresAt: integer().notNull(),
  decidedAt: integer(),
  cause: text().$type<ApprovalCause>().notNull().default('changes'),
  form: text({ mode: 'json' }).$type<readonly InputAsk[]>(),
  answers: text({ mode: 'json' }).$type<readonly InputAnswer[]>(),
  callState: text(),
})

/** One assistant turn. `id` is the id of the answer message. A guard allows one ending. */
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
  /** The queued message that started the turn. */
  queuedId: text(),
  mode: text().$type<TurnMode>().notNull().default('chat'),
  /** The id of the `Generation` object that runs the turn. */
  objectId: text().notNull(),
  /** The quote of the turn. Null: it costs what it reserved. */
  minimumCredits: integer(),
  expectedCredits: integer(),
  /** The project of the thread when the turn began. */
  projectId: text(),
})

/** A file. A guard allows messages to use only files of their own user. */
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
  /** Size of the image that the user chose, if models receive a scaled copy of it; else 0. */
  originalBytes: integer().notNull().default(0),
  /** The pages of a PDF. Null for other files. */
  pages: integer(),
  /** The id in the key of the object, if the file is a copy of another file. Null: the row's own id. */
  objectId: text(),
})

/** Triggers of messages maintain the rows; db/attachments.ts maintains `hiddenSince`. */
export const attachmentUse = sqliteTable(
  'attachmentUse',
  {
    attachmentId: text().notNull(),
    holder: text().$type<'message' | 'queuedMessage' | 'project'>().notNull(),
    holderId: text().notNull(),
    hiddenSince: integer(),
  },
  (table) => [primaryKey({ columns: [table.attachmentId, table.holder, table.holderId] })],
)
