// Every named query, called with the ids of another user: the result equals that for missing ids. A query without a row fails.
import { beforeAll, describe, expect, test } from 'vitest'
import { queryNames } from '../../support/contract-names.ts'
import { connected, type Wire } from '../sync-wire.ts'
import { type Ids, missingIdsOf, type OtherUser, otherUsers, type Scene, setScene } from './scene.ts'

type Row = {
  readonly args: (ids: Ids) => readonly object[]
  /** Users besides the owner who may read the rows of the owner's ids. */
  readonly shared: readonly OtherUser[]
}

const rows: { readonly [query: string]: Row } = {
  me: { args: () => [], shared: [] },
  'models.all': { args: () => [], shared: [] },
  'threads.list': { args: () => [{ limit: 50 }], shared: [] },
  'threads.recent': { args: () => [], shared: [] },
  'threads.pinned': { args: () => [], shared: [] },
  'threads.whole': { args: () => [{ limit: 50 }], shared: [] },
  'threads.archived': { args: () => [{ limit: 50 }], shared: [] },
  'threads.ofProject': { args: ({ projectId }) => [{ projectId, limit: 50 }], shared: [] },
  'usage.daily': { args: () => [{ since: 1 }], shared: [] },
  'presence.ofThread': { args: ({ threadId }) => [{ threadId }], shared: [] },
  'projects.all': { args: () => [], shared: [] },
  'prompts.mine': { args: () => [], shared: [] },
  'prompts.shared': { args: () => [], shared: ['fellow', 'admin'] },
  'approvals.ofThread': { args: ({ threadId }) => [{ threadId }], shared: [] },
  'drafts.one': { args: ({ threadId }) => [{ threadId }], shared: [] },
  'memories.mine': { args: () => [], shared: [] },
  'summaries.ofThread': { args: ({ threadId }) => [{ threadId }], shared: [] },
  'toolServers.mine': { args: () => [], shared: [] },
  'toolServers.ofOrganizations': { args: () => [], shared: ['fellow', 'admin'] },
  'shares.mine': { args: () => [], shared: [] },
  'threads.one': { args: ({ threadId }) => [{ threadId }], shared: [] },
  'threads.imported': { args: ({ threadId }) => [{ threadIds: [threadId] }], shared: [] },
  'threads.deleted': { args: () => [{ since: 1 }], shared: [] },
  'messages.newest': { args: ({ threadId }) => [{ threadId, limit: 50 }], shared: [] },
  'messages.beginnings': { args: ({ threadId }) => [{ threadId }], shared: [] },
  'messages.byIds': { args: ({ messageId, answerId }) => [{ messageIds: [messageId, answerId] }], shared: [] },
  'messages.bookmarked': { args: () => [{ limit: 25 }], shared: [] },
  'messages.deleted': { args: () => [{ since: 1 }], shared: [] },
  'organizations.mine': { args: () => [], shared: ['fellow', 'admin'] },
  'organizations.one': { args: ({ organizationId }) => [{ organizationId }], shared: ['fellow', 'admin'] },
}

let scene: Scene
beforeAll(async () => {
  scene = await setScene()
  // Presence has rows while two browsers are connected.
  const one = (hash: string) => ({ hash, name: 'threads.one', args: [{ threadId: scene.ids.threadId }] })
  for (const hash of ['one', 'another']) await connected(scene.owner, { queries: [one(hash)] })
})

test('every query has a row', () => {
  expect(queryNames).toEqual(Object.keys(rows).sort())
})

const personal = [
  'presence',
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
  'setting',
  'usage',
  'dailyUse',
  'userCustomer',
  'user',
]
const ofOrganization = [
  'organization',
  'member',
  'memberProfile',
  'organizationCustomer',
  'invitation',
  'team',
  'teamMember',
  'sharedPrompt',
  'organizationToolServer',
]

const ask = async (who: OtherUser | 'owner', name: string, args: readonly object[]): Promise<Wire> =>
  connected(who === 'owner' ? scene.owner : scene.otherUsers[who], { queries: [{ hash: `${name}-${who}`, name, args }] })

const held = (wire: Wire, tables: readonly string[]) =>
  [...wire.rows.keys()].filter((key) => tables.some((table) => key.startsWith(`${table}/`)))

/** The ids of all of the owner's rows. */
const isOwners = (
  key: string,
  { userId, threadId, messageId, answerId, queuedId, deletedThreadId, deletedMessageId, projectId, shareId, promptId, ...ids }: Ids,
) =>
  [
    ...[ids.memoryId, ids.approvalId, promptId, projectId, shareId, userId, threadId, messageId, answerId, queuedId],
    ...[deletedThreadId, deletedMessageId],
  ].some((id) => key.endsWith(`/${id}`))

describe.each(Object.entries(rows))('%s', (name, { args, shared }) => {
  test.each(otherUsers)('as a %s', async (who) => {
    const wire = await ask(who, name, args(scene.ids))
    expect(held(wire, personal).filter((key) => isOwners(key, scene.ids))).toEqual([])
    expect(held(wire, ofOrganization).length > 0, 'rows of the organization').toBe(shared.includes(who))
    if (shared.includes(who)) return
    expect([...wire.rows].sort()).toEqual([...(await ask(who, name, args(missingIdsOf()))).rows].sort())
  })

  test('as the owner', async () => {
    const wire = await ask('owner', name, args(scene.ids))
    expect(wire.rows.size).toBeGreaterThan(0)
    expect(wire.got.size).toBe(1)
  })
})
