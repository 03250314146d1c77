/**
 * Tables of the simulation, similar to a chat product's, and generators for their rows. Ids, users and values are few, so that a history of
 * 60 steps changes the same row in several ways.
 */
import { boolean, createSchema, json, number, relationships, string, table } from '@rocicorp/zero'
import type { Json, Row, RowID, Tables } from '../../../worker/sync/engine/types.ts'
import type { Rng } from '../../support/rng.ts'

const thread = table('thread')
  .columns({
    id: string(),
    userId: string(),
    title: string(),
    fixed: boolean(),
    rank: number().optional(),
    updatedAt: number(),
    modelId: string().optional(),
    meta: json().optional(),
  })
  .primaryKey('id')
const message = table('message')
  .columns({
    id: string(),
    threadId: string(),
    userId: string(),
    parentId: string().optional(),
    role: string(),
    text: string(),
    createdAt: number(),
  })
  .primaryKey('id')
const attachment = table('attachment').columns({ id: number(), messageId: string(), kind: string(), size: number() }).primaryKey('id')
const model = table('model').columns({ id: string(), maker: string(), isPublic: boolean() }).primaryKey('id')
const label = table('label').columns({ id: string(), name: string() }).primaryKey('id')
const threadLabel = table('threadLabel')
  .columns({ threadId: string(), labelId: string(), weight: number() })
  .primaryKey('threadId', 'labelId')

export const schema = createSchema({
  tables: [thread, message, attachment, model, label, threadLabel],
  relationships: [
    relationships(thread, ({ many, one }) => ({
      messages: many({ sourceField: ['id'], destField: ['threadId'], destSchema: message }),
      ownMessages: many({ sourceField: ['id', 'userId'], destField: ['threadId', 'userId'], destSchema: message }),
      model: one({ sourceField: ['modelId'], destField: ['id'], destSchema: model }),
      labels: many(
        { sourceField: ['id'], destField: ['threadId'], destSchema: threadLabel },
        { sourceField: ['labelId'], destField: ['id'], destSchema: label },
      ),
    })),
    relationships(message, ({ many, one }) => ({
      thread: one({ sourceField: ['threadId'], destField: ['id'], destSchema: thread }),
      attachments: many({ sourceField: ['id'], destField: ['messageId'], destSchema: attachment }),
      parent: one({ sourceField: ['parentId'], destField: ['id'], destSchema: message }),
      replies: many({ sourceField: ['id'], destField: ['parentId'], destSchema: message }),
    })),
    relationships(model, ({ many }) => ({
      threads: many({ sourceField: ['id'], destField: ['modelId'], destSchema: thread }),
    })),
  ],
})

export const tables: Tables = schema.tables

export const indexes = {
  thread: [['userId', 'updatedAt'], ['modelId']],
  message: [['threadId', 'createdAt'], ['parentId']],
  attachment: [['messageId']],
  threadLabel: [['labelId']],
}

export const threadIDs = ids('t', 9)
export const messageIDs = ids('m', 24)
export const modelIDs = ids('o', 3)
const labelIDs = ids('l', 3)
const users = ['me', 'me', 'me', 'foreign']
export const roles = ['user', 'assistant', 'tool']
export const kinds = ['image', 'file']
/** Byte order and UTF-16 order disagree on the last two. */
export const texts = ['a', 'B', 'é', '\uff5e', '\u{1f600}']

/** A row's next state: new values for all columns, or for some columns of the existing row. */
export function drawRow(rng: Rng, tableName: string, before: Row | undefined, id: RowID): Row {
  const drawn: { [column: string]: Json } = { ...drawColumns(rng, tableName), ...id }
  if (before === undefined || rng.chance(0.15)) return drawn
  const columns = Object.keys(drawn).filter((column) => !(column in id))
  const changed = [rng.pick(columns), rng.pick(columns)].slice(0, 1 + rng.below(2))
  return { ...before, ...Object.fromEntries(changed.map((column) => [column, drawn[column]])) }
}

export function drawID(rng: Rng, tableName: string): RowID {
  switch (tableName) {
    case 'thread':
      return { id: rng.pick(threadIDs) }
    case 'message':
      return { id: rng.pick(messageIDs) }
    case 'attachment':
      return { id: rng.below(10) }
    case 'model':
      return { id: rng.pick(modelIDs) }
    case 'label':
      return { id: rng.pick(labelIDs) }
    default:
      return { threadId: rng.pick(threadIDs), labelId: rng.pick(labelIDs) }
  }
}

/** Each table as often as a product writes it. */
export const writtenTables = [
  ...['thread', 'thread', 'thread', 'thread', 'message', 'message', 'message', 'message', 'message', 'message'],
  ...['attachment', 'attachment', 'model', 'label', 'threadLabel', 'threadLabel'],
]

function drawColumns(rng: Rng, tableName: string): { [column: string]: Json } {
  switch (tableName) {
    case 'thread':
      return {
        userId: rng.pick(users),
        title: rng.pick(texts),
        fixed: rng.chance(0.5),
        rank: rng.pick([null, 1, 2, 2.5]),
        updatedAt: rng.below(12),
        modelId: rng.pick([null, ...modelIDs]),
        meta: rng.pick([null, { n: rng.below(3) }, [true]]),
      }
    case 'message':
      return {
        threadId: rng.pick(threadIDs),
        userId: rng.pick(users),
        parentId: rng.pick([null, ...messageIDs.slice(0, 6)]),
        role: rng.pick(roles),
        text: rng.pick(texts),
        createdAt: rng.below(8),
      }
    case 'attachment':
      return { messageId: rng.pick(messageIDs), kind: rng.pick(kinds), size: rng.below(4) }
    case 'model':
      return { maker: rng.pick(texts), isPublic: rng.chance(0.6) }
    case 'label':
      return { name: rng.pick(texts) }
    default:
      return { weight: rng.below(3) }
  }
}

function ids(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`)
}
