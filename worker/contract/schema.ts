/**
 * The tables as clients see them: names and columns are those of D1 and of the wire, letter for letter.
 * Timestamps are epoch milliseconds. Changing a table here starts a new local database in every browser;
 * a new column also needs a migration and an entry in its drizzle table.
 */
import { boolean, createBuilder, createSchema, json, number, relationships, string, table, type Row as ZeroRow } from '@rocicorp/zero'
import type { RefusalCode } from './errors.ts'
import type { ChatMessage, Ending } from './messages.ts'
import type { TurnMode } from './modes.ts'

export type ThreadStatus = 'ready' | 'submitted' | 'stopping'
export type Access = 'public' | 'account_required' | 'premium_required'
export type Capability = 'tools' | 'reasoning' | 'vision' | 'documents'
/** How the turn before it ended, or why it was refused. */
export type QueueHold = Exclude<Ending, 'completed'> | RefusalCode
export type Mode = 'dark' | 'light' | 'system'

/** What we keep of a paid subscription; the payment company's object is the truth it is copied from. */
export type Subscription = {
  readonly id: string
  readonly status: string
  readonly currentPeriodEndMs: number
  readonly cancelAtPeriodEnd: boolean
}

const user = table('user')
  .columns({
    id: string(),
    name: string(),
    email: string(),
    emailVerified: boolean(),
    image: string().optional(),
    isAnonymous: boolean().optional(),
    createdAt: number(),
    updatedAt: number(),
  })
  .primaryKey('id')

const setting = table('setting')
  .columns({
    id: string(),
    userId: string(),
    mode: string<Mode>().optional(),
    theme: string().optional(),
    nickname: string().optional(),
    biography: string().optional(),
    instructions: string().optional(),
    modelId: string().optional(),
    pinnedModels: json<readonly string[]>().optional(),
  })
  .primaryKey('id')

/** `credits`, `search` and `research` count what was used on `day`; on any later day they mean zero. */
const usage = table('usage')
  .columns({
    id: string(),
    userId: string(),
    credits: number().optional(),
    search: number().optional(),
    research: number().optional(),
    /** UTC days since the epoch. */
    day: number().optional(),
  })
  .primaryKey('id')

const userCustomer = table('userCustomer')
  .columns({
    id: string(),
    userId: string(),
    subscription: json<Subscription>().optional(),
  })
  .primaryKey('id')

const model = table('model')
  .columns({
    id: string(),
    name: string(),
    /** The slug its provider knows it by. */
    model: string(),
    /** Which of our connections reaches it: 'gateway', 'openrouter', 'ollama' or 'compatible'. */
    provider: string(),
    description: string(),
    capabilities: json<readonly Capability[]>().optional(),
    effort: json<readonly string[]>().optional(),
    /** The maker's mark in the picker. */
    icon: string(),
    credits: number().optional(),
    access: string<Access>().optional(),
    inputMicroDollarsPerMillionTokens: number().optional(),
    outputMicroDollarsPerMillionTokens: number().optional(),
    position: number(),
    createdAt: number(),
    updatedAt: number(),
  })
  .primaryKey('id')

const thread = table('thread')
  .columns({
    id: string(),
    userId: string(),
    title: string().optional(),
    status: string<ThreadStatus>().optional(),
    /** The generation being written while `status` is not ready; it is also the id of the answer to come. */
    streamId: string().optional(),
    /** The last message of the branch on show; the path to it is found through `message.parentId`. */
    headId: string().optional(),
    createdAt: number(),
    updatedAt: number(),
    deletedAt: number().optional(),
    /** How long reasoning models are to think in this thread; null is each model's default. */
    effort: string().optional(),
  })
  .primaryKey('id')

const message = table('message')
  .columns({
    id: string(),
    threadId: string(),
    userId: string(),
    /** The message this one follows; messages with one parent are versions of each other. Null for the first. */
    parentId: string().optional(),
    message: json<ChatMessage>(),
    createdAt: number().optional(),
    updatedAt: number().optional(),
    /** Hides the message and everything below it. */
    deletedAt: number().optional(),
  })
  .primaryKey('id')

/** Typed while an answer was being written; becomes a message under the same id when it is its turn. */
const queuedMessage = table('queuedMessage')
  .columns({
    id: string(),
    threadId: string(),
    userId: string(),
    /** The id of the answer it will get. */
    answerId: string(),
    text: string(),
    modelId: string(),
    effort: string().optional(),
    /** Absent: chat. */
    mode: string<TurnMode>().optional(),
    /** Why it waits for the person and not for the answer before it. */
    hold: string<QueueHold>().optional(),
    createdAt: number(),
  })
  .primaryKey('id')

const organization = table('organization')
  .columns({
    id: string(),
    name: string(),
    slug: string().optional(),
    logo: string().optional(),
    createdAt: number(),
    metadata: string().optional(),
  })
  .primaryKey('id')

const member = table('member')
  .columns({
    id: string(),
    organizationId: string(),
    userId: string(),
    role: string().optional(),
    createdAt: number(),
  })
  .primaryKey('id')

const organizationCustomer = table('organizationCustomer')
  .columns({
    id: string(),
    organizationId: string(),
    subscription: json<Subscription>().optional(),
  })
  .primaryKey('id')

const userRelations = relationships(user, ({ one, many }) => ({
  setting: one({
    sourceField: ['id'],
    destField: ['userId'],
    destSchema: setting,
  }),
  usage: one({ sourceField: ['id'], destField: ['userId'], destSchema: usage }),
  customer: one({
    sourceField: ['id'],
    destField: ['userId'],
    destSchema: userCustomer,
  }),
  threads: many({
    sourceField: ['id'],
    destField: ['userId'],
    destSchema: thread,
  }),
  messages: many({
    sourceField: ['id'],
    destField: ['userId'],
    destSchema: message,
  }),
}))

const settingRelations = relationships(setting, ({ one }) => ({
  model: one({
    sourceField: ['modelId'],
    destField: ['id'],
    destSchema: model,
  }),
}))

const threadRelations = relationships(thread, ({ many }) => ({
  messages: many({
    sourceField: ['id'],
    destField: ['threadId'],
    destSchema: message,
  }),
  queue: many({
    sourceField: ['id'],
    destField: ['threadId'],
    destSchema: queuedMessage,
  }),
}))

const messageRelations = relationships(message, ({ one }) => ({
  thread: one({
    sourceField: ['threadId'],
    destField: ['id'],
    destSchema: thread,
  }),
}))

const memberRelations = relationships(member, ({ one }) => ({
  organization: one({
    sourceField: ['organizationId'],
    destField: ['id'],
    destSchema: organization,
  }),
}))

const organizationRelations = relationships(organization, ({ one, many }) => ({
  members: many({
    sourceField: ['id'],
    destField: ['organizationId'],
    destSchema: member,
  }),
  customer: one({
    sourceField: ['id'],
    destField: ['organizationId'],
    destSchema: organizationCustomer,
  }),
}))

export const schema = createSchema({
  tables: [user, setting, usage, userCustomer, model, thread, message, queuedMessage, organization, member, organizationCustomer],
  relationships: [userRelations, settingRelations, threadRelations, messageRelations, memberRelations, organizationRelations],
})

export type Schema = typeof schema
export type TableName = keyof Schema['tables']
export type RowOf<T extends TableName> = ZeroRow<Schema['tables'][T]>

export const zql = createBuilder(schema)

declare module '@rocicorp/zero' {
  interface DefaultTypes {
    schema: Schema
    context: import('./viewer.ts').Viewer
  }
}
