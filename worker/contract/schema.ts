/**
 * The tables as clients see them: names and columns are those of D1 and of the wire, letter for letter.
 * Timestamps are epoch milliseconds. Changing a table here starts a new local database in every browser;
 * a new column also needs a migration and an entry in its drizzle table.
 */
import {
  boolean,
  createBuilder,
  createSchema,
  json,
  number,
  type ReadonlyJSONValue,
  relationships,
  string,
  table,
  type Row as ZeroRow,
} from '@rocicorp/zero'
import type { RefusalCode } from './errors.ts'
import type { AttachedFile } from './files.ts'
import type { ChatMessage, Ending } from './messages.ts'
import type { TurnMode } from './modes.ts'
import {
  invitation,
  member,
  memberProfile,
  memberRelations,
  organization,
  organizationCustomer,
  organizationRelations,
  team,
  teamMember,
  teamRelations,
} from './organization-tables.ts'
import type { QueueEditor } from './queue-editors.ts'
import type { Subscription } from './subscription.ts'

export type ThreadStatus = 'ready' | 'submitted' | 'stopping'
export type Access = 'public' | 'account_required' | 'premium_required'
export type Capability = 'tools' | 'reasoning' | 'vision' | 'documents'
/** How the turn before it ended, that its plan waits for the person, or why it was refused. */
export type QueueHold = Exclude<Ending, 'completed'> | 'plan_waiting' | RefusalCode
export type Mode = 'dark' | 'light' | 'system'

/** By vendor: the options of the AI SDK's package for it. */
export type ModelOptions = { readonly [vendor: string]: { readonly [option: string]: ReadonlyJSONValue } }

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
    /** Stored threads and messages, rounded down to `contentStepBytes` and `contentStepRows`. Not per day. */
    contentBytes: number().optional(),
    contentRows: number().optional(),
    /** Forks made on `forkDay`, which is a UTC day as `day` is. */
    forks: number().optional(),
    forkDay: number().optional(),
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
    /** Which of our connections reaches it: 'gateway', 'openrouter', 'ollama', 'compatible' or 'workers-ai'. */
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
    /** Input and output together. Absent: not known. */
    contextTokens: number().optional(),
    maxOutputTokens: number().optional(),
    position: number(),
    createdAt: number(),
    updatedAt: number(),
    /** A refusal's code: why nobody can use it now. Kept by the server for what it is connected to. */
    unavailable: string().optional(),
    /** Absent: the model is told none, because it rejects one or is harmed by it. */
    temperature: number().optional(),
    /** What a call of it carries besides, unless its effort is none, in the AI SDK's names: how it thinks, and that it tells its thoughts. */
    options: json<ModelOptions>().optional(),
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
    files: json<readonly AttachedFile[]>().optional(),
    /** Where it is being changed; as long as that lasts it is not sent. */
    editors: json<readonly QueueEditor[]>().optional(),
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
  user: one({
    sourceField: ['userId'],
    destField: ['id'],
    destSchema: user,
  }),
}))

export const schema = createSchema({
  tables: [
    user,
    setting,
    usage,
    userCustomer,
    model,
    thread,
    message,
    queuedMessage,
    organization,
    member,
    memberProfile,
    invitation,
    team,
    teamMember,
    organizationCustomer,
  ],
  relationships: [
    userRelations,
    settingRelations,
    threadRelations,
    messageRelations,
    memberRelations,
    organizationRelations,
    teamRelations,
  ],
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
