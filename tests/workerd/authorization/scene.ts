/** An owner with a row of every kind, and other users who try to access them. */
import type { AttachedFile } from '../../../worker/contract/files/files.ts'
import { newId } from '../../../worker/db/new-id.ts'
import {
  approvalRow,
  insert,
  memberRow,
  messageRow,
  organizationRow,
  projectRow,
  queuedRow,
  shareRow,
  summaryRow,
  threadRow,
  waitingPart,
} from '../../support/rows.ts'
import { draftRow, insertOrganizationToolServer, insertToolServer, memoryRow, promptRow } from '../../support/rows-of-writing.ts'
import { Browser, guest, signInByCode } from '../auth/browser.ts'
import { content, databaseOf, env } from '../bindings.ts'
import type { SyncUser } from '../sync-wire.ts'

/** The ids of the owner's rows, or ids that do not exist. */
export type Ids = {
  readonly userId: string
  readonly threadId: string
  readonly messageId: string
  readonly answerId: string
  readonly queuedId: string
  readonly deletedThreadId: string
  readonly deletedMessageId: string
  readonly organizationId: string
  readonly fileId: string
  readonly projectId: string
  readonly shareId: string
  /** A prompt that is not shared. */
  readonly promptId: string
  readonly memoryId: string
  readonly approvalId: string
  readonly toolServerId: string
  /** The organization's id. */
  readonly organizationServerId: string
}

export const otherUsers = ['guest', 'account', 'fellow', 'admin', 'removed'] as const
export type OtherUser = (typeof otherUsers)[number]

/** An empty thread and an empty project of the user. */
export type TestUser = SyncUser & { readonly browser: Browser; readonly threadId: string; readonly projectId: string }

export type Scene = {
  readonly ids: Ids
  readonly owner: TestUser
  /** The fellow and the admin are members of the owner's organization; the removed user was. */
  readonly otherUsers: { readonly [who in OtherUser]: TestUser }
}

export const missingIdsOf = (): Ids => ({
  userId: newId(),
  threadId: newId(),
  messageId: newId(),
  answerId: newId(),
  queuedId: newId(),
  deletedThreadId: newId(),
  deletedMessageId: newId(),
  organizationId: newId(),
  fileId: newId(),
  projectId: newId(),
  shareId: newId(),
  promptId: newId(),
  memoryId: newId(),
  approvalId: newId(),
  toolServerId: newId(),
  organizationServerId: newId(),
})

/** The upload response for a file of the owner with any id. */
export const fileCalled = (id: string) => ({ id, name: 'a.txt', mediaType: 'text/plain', sizeBytes: 3 }) as const satisfies AttachedFile

let users = 0

/** A signed-in user with a token for the socket. */
export async function newTestUser(withAccount: boolean): Promise<TestUser> {
  const { browser, userId } = withAccount ? await account() : await guest()
  const [threadId, projectId] = [newId(), newId()]
  await insert(content, 'thread', threadRow(userId, { id: threadId }))
  await insert(content, 'project', projectRow(userId, { id: projectId }))
  return { browser, userId, threadId, projectId, token: await tokenOf(browser) }
}

async function account(): Promise<{ readonly browser: Browser; readonly userId: string }> {
  const browser = new Browser()
  const { userId } = await signInByCode(browser, `somebody-${++users}-${newId().toLowerCase()}@example.test`)
  return { browser, userId }
}

const tokenOf = async (browser: Browser): Promise<string> => (await browser.json<{ token: string }>('/api/auth/token')).token

export async function setScene(): Promise<Scene> {
  const owner = await newTestUser(true)
  const [guestOne, account, fellow, admin, removed] = [
    await newTestUser(false),
    await newTestUser(true),
    await newTestUser(true),
    await newTestUser(true),
    await newTestUser(true),
  ]
  const ids: Ids = { ...missingIdsOf(), userId: owner.userId }
  const { userId, threadId, messageId, answerId, queuedId, deletedThreadId, deletedMessageId, organizationId, fileId, projectId } = ids
  await insert(content, 'attachment', { ...fileCalled(fileId), userId, uploadId: fileId, etag: '"a"', storedAt: 1, createdAt: 1 })
  await insert(content, 'thread', threadRow(userId, { id: threadId, headId: answerId, projectId, pinnedAt: 1, unreadAt: 1 }))
  await insert(content, 'project', projectRow(userId, { id: projectId, files: JSON.stringify([fileCalled(fileId)]) }))
  await insert(content, 'thread', threadRow(userId, { archivedAt: 5 }))
  await insert(content, 'message', messageRow(userId, threadId, { id: messageId, bookmarkedAt: 5 }))
  const parts = [{ type: 'text', text: 'A secret answer' }, waitingPart(ids.approvalId)]
  const answer = { id: answerId, role: 'assistant', parts, metadata: { modelId: 'kimi-k2' } }
  await insert(content, 'message', messageRow(userId, threadId, { id: answerId, parentId: messageId, message: JSON.stringify(answer) }))
  await insert(content, 'approval', approvalRow(userId, threadId, answerId, { id: ids.approvalId }))
  await insert(content, 'share', shareRow(userId, threadId, answerId, { id: ids.shareId }))
  await insert(content, 'summary', summaryRow(userId, threadId, answerId))
  await insert(content, 'prompt', promptRow(userId, { id: ids.promptId }))
  await insert(content, 'draft', draftRow(userId, threadId))
  await insert(content, 'memory', memoryRow(userId, threadId, messageId, { id: ids.memoryId }))
  const used = { id: `${userId}:20000::kimi-k2`, userId, day: 20_000, modelId: 'kimi-k2' }
  await insert(content, 'dailyUse', { ...used, credits: 0, searches: 0, tokens: 0, microDollars: 0, unpriced: 0 })
  const described = { title: 'A', description: '' }
  const resources = JSON.stringify([{ uri: 'note://a', name: 'A', ...described }])
  const prompts = JSON.stringify([{ name: 'letter', args: [{ name: 'to', isRequired: false, ...described }], ...described }])
  await insertToolServer(content, userId, { id: ids.toolServerId, resources, prompts })
  await insert(content, 'thread', threadRow(userId, { id: deletedThreadId, deletedAt: 5 }))
  await insert(content, 'message', messageRow(userId, threadId, { id: deletedMessageId, parentId: answerId, deletedAt: 5 }))
  // Held, so that it is not sent.
  await insert(content, 'queuedMessage', queuedRow(userId, threadId, { id: queuedId, hold: 'stopped' }))
  await insert(env.DB, 'organization', organizationRow({ id: organizationId }))
  const roles = [
    [owner, 'owner'],
    [fellow, 'member'],
    [admin, 'admin'],
    [removed, 'member'],
  ] as const
  for (const [who, role] of roles)
    await insert(env.DB, 'member', memberRow(organizationId, who.userId, { id: `${who.userId}-member`, role }))
  const shared = { id: newId(), organizationId, memberId: `${userId}-member`, userId, name: 'Ours', text: 'A shared text', updatedAt: 1 }
  await insert(env.DB, 'sharedPrompt', shared)
  await insertOrganizationToolServer(env.DB, organizationId, { id: ids.organizationServerId })
  await env.DB.prepare('delete from member where organizationId = ? and userId = ?').bind(organizationId, removed.userId).run()
  return { ids, owner, otherUsers: { guest: guestOne, account, fellow, admin, removed } }
}

const ownedTables = [
  'thread',
  'project',
  'message',
  'queuedMessage',
  'share',
  'summary',
  'prompt',
  'draft',
  'memory',
  'approval',
  'toolServer',
  'toolServerSecret',
  'sharedPrompt',
  'setting',
  'usage',
  'dailyUse',
  'userCustomer',
  'generation',
  'creditLedger',
  'attachment',
]

/** All rows of the owner alone in D1, to compare before and after. */
export async function belongingsOf(userId: string): Promise<string> {
  const found = await Promise.all(
    ownedTables.map((table) => databaseOf(table).prepare(`select * from ${table} where userId = ? order by id`).bind(userId).all()),
  )
  return JSON.stringify(found.map(({ results }) => results))
}
