/**
 * The tables as clients see them. Names and columns equal those of D1 and of the wire. Timestamps are epoch milliseconds. Changing a table
 * here creates a new local database in every browser. A new column also needs a migration and an entry in its drizzle table.
 */
import { boolean, createBuilder, createSchema, json, number, relationships, string, table, type Row as ZeroRow } from '@rocicorp/zero'
import type { RefusalCode } from './errors.ts'
import type { AttachedFile } from './files/files.ts'
import type { LanguageChoice } from './languages.ts'
import { model } from './models/model-table.ts'
import type { TurnMode } from './models/modes.ts'
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
} from './organizations/organization-tables.ts'
import type { Subscription } from './organizations/subscription.ts'
import type { ComparedAnswer, OtherAnswer } from './threads/comparison.ts'
import { draft } from './threads/drafts.ts'
import { memory } from './threads/memories.ts'
import type { ChatMessage, Ending } from './threads/messages.ts'
import { project } from './threads/projects.ts'
import { prompt, sharedPrompt } from './threads/prompts.ts'
import { share } from './threads/shares.ts'
import { summary } from './threads/summaries.ts'
import { approval } from './tools/approvals.ts'
import { organizationToolServer, toolServer } from './tools/tool-servers.ts'

export type ThreadStatus = 'ready' | 'submitted' | 'stopping'
/** The ending of the previous answer, what it waits for, or the refusal of the message. */
export type QueueHold = Exclude<Ending, 'completed'> | 'plan_waiting' | 'approval_waiting' | RefusalCode
export type Mode = 'dark' | 'light' | 'system'

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
    /** One of `languageChoices`; null means `system`. */
    language: string<LanguageChoice>().optional(),
    nickname: string().optional(),
    biography: string().optional(),
    instructions: string().optional(),
    modelId: string().optional(),
    pinnedModels: json<readonly string[]>().optional(),
    /** Facts are found and given to models. Null: off. */
    isMemoryOn: boolean().optional(),
    /** Credits that the user wants to spend at most. Null: no limit of the user. */
    dailyCreditLimit: number().optional(),
    monthlyCreditLimit: number().optional(),
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
    /** Mutations on `mutationDay`, rounded down to `mutationStep`. */
    mutations: number().optional(),
    mutationDay: number().optional(),
    /** The limits of the user's `setting`, copied by D1, so that limits and counts are read together. */
    dailyCreditLimit: number().optional(),
    monthlyCreditLimit: number().optional(),
    /** Credits since the UTC day `monthStart`, the first of a month. In any later month they mean zero. */
    monthStart: number().optional(),
    monthCredits: number().optional(),
  })
  .primaryKey('id')

/** The use of the ended turns of a UTC day, by model and project (migrations/0017_usage.sql). */
const dailyUse = table('dailyUse')
  .columns({
    id: string(),
    userId: string(),
    day: number(),
    /** The model that the user chose. */
    modelId: string(),
    /** The project of the thread when the turn began. Absent: none. It may be deleted. */
    projectId: string().optional(),
    credits: number(),
    searches: number(),
    /** Input and output of the requests, with those for titles. */
    tokens: number(),
    /** The known costs of the requests, and the number of requests whose cost is unknown. */
    microDollars: number(),
    unpriced: number(),
  })
  .primaryKey('id')

const userCustomer = table('userCustomer')
  .columns({
    id: string(),
    userId: string(),
    subscription: json<Subscription>().optional(),
  })
  .primaryKey('id')

const thread = table('thread')
  .columns({
    id: string(),
    userId: string(),
    title: string().optional(),
    status: string<ThreadStatus>().optional(),
    /** The running generation while `status` is not ready; in a comparison, one of the running ones. It is also the id of the future answer. */
    streamId: string().optional(),
    /** The last message of the shown branch. `message.parentId` gives the path to it. */
    headId: string().optional(),
    createdAt: number(),
    updatedAt: number(),
    deletedAt: number().optional(),
    pinnedAt: number().optional(),
    archivedAt: number().optional(),
    /** When an answer ended that no page has shown yet. Null: nothing is unread. */
    unreadAt: number().optional(),
    /** The `unreadAt` of the last answer whose notification a page has claimed. */
    noticedAt: number().optional(),
    /** When a temporary thread is deleted. Only its own page shows it; lists, the search and the export leave it out. */
    expiresAt: number().optional(),
    /** May name a deleted project, which counts as none. */
    projectId: string().optional(),
    /** Reasoning effort in this thread. Null: the default of each model. */
    effort: string().optional(),
    /** The most credits of an answer in this thread, as the user set it. Null: no limit for the thread (`quote.ts`). */
    turnCredits: number().optional(),
    /** Ids of the sources of tools whose switch was moved (`isSourceOn` in contract/tools/tool-servers.ts). Null: those of the project. */
    offTools: json<readonly string[]>().optional(),
    /** Input and output of the requests for its answers and titles. Absent while no count is known. */
    tokens: number().optional(),
    /** The known costs of these requests. */
    microDollars: number().optional(),
    /** The number of requests whose cost is unknown. */
    unpriced: number().optional(),
    /** The answers that are shown side by side. Null: the shown branch has one answer to each question. */
    compared: json<readonly ComparedAnswer[]>().optional(),
  })
  .primaryKey('id')

const message = table('message')
  .columns({
    id: string(),
    threadId: string(),
    userId: string(),
    /** The preceding message. Messages with the same parent are versions of each other. Null for the first message. */
    parentId: string().optional(),
    message: json<ChatMessage>(),
    createdAt: number().optional(),
    updatedAt: number().optional(),
    /** Hides the message and its descendants. */
    deletedAt: number().optional(),
    /** Negative while the message is hidden by the deletion of a message above it. */
    bookmarkedAt: number().optional(),
  })
  .primaryKey('id')

/** Sent while an answer was being written. It later becomes a message with the same id. */
const queuedMessage = table('queuedMessage')
  .columns({
    id: string(),
    threadId: string(),
    userId: string(),
    /** Id of its future answer. */
    answerId: string(),
    text: string(),
    modelId: string(),
    effort: string().optional(),
    /** Absent: chat. */
    mode: string<TurnMode>().optional(),
    /** Reason why it waits for the user. Null: it waits for the previous answer. */
    hold: string<QueueHold>().optional(),
    createdAt: number(),
    files: json<readonly AttachedFile[]>().optional(),
    /** The answers of the other models of a comparison. */
    compareWith: json<readonly OtherAnswer[]>().optional(),
    /** The user typed the text (`UserMessage.isTyped`). */
    isTyped: boolean().optional(),
    /** Where texts in it came from (`UserMessage.origins`). */
    origins: json<readonly string[]>().optional(),
  })
  .primaryKey('id')

/**
 * A thread that is open in a browser. Only the user's object has these rows: it derives them from its connections (worker/presence/). Without a
 * second connected browser there are none.
 */
const presence = table('presence')
  .columns({
    id: string(),
    userId: string(),
    threadId: string(),
    /** The browser: its client group. */
    groupId: string(),
    userAgent: string(),
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

const memoryRelations = relationships(memory, ({ one }) => ({
  thread: one({ sourceField: ['threadId'], destField: ['id'], destSchema: thread }),
}))

const shareRelations = relationships(share, ({ one }) => ({
  thread: one({ sourceField: ['threadId'], destField: ['id'], destSchema: thread }),
}))

const messageRelations = relationships(message, ({ one }) => ({
  thread: one({ sourceField: ['threadId'], destField: ['id'], destSchema: thread }),
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
    dailyUse,
    userCustomer,
    model,
    thread,
    project,
    message,
    queuedMessage,
    share,
    summary,
    presence,
    prompt,
    draft,
    memory,
    approval,
    toolServer,
    organization,
    member,
    memberProfile,
    invitation,
    team,
    teamMember,
    organizationCustomer,
    sharedPrompt,
    organizationToolServer,
  ],
  relationships: [
    userRelations,
    settingRelations,
    threadRelations,
    messageRelations,
    shareRelations,
    memoryRelations,
    memberRelations,
    organizationRelations,
    teamRelations,
  ],
})

export type Schema = typeof schema
export type TableName = keyof Schema['tables']
export type RowOf<T extends TableName> = ZeroRow<Schema['tables'][T]>

/** Tables without a table in D1. */
export const objectTables: readonly TableName[] = ['presence']

export const zql = createBuilder(schema)

declare module '@rocicorp/zero' {
  interface DefaultTypes {
    schema: Schema
    context: Viewer
  }
}

/** The authenticated user. Context of every named query and mutator on both sides. */
export type Viewer = {
  readonly userId: string
  /** Server clock in epoch ms. Absent in the browser, which uses the mutator's `at` argument. */
  readonly nowMs?: number
}
