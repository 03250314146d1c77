// Every mutator, called with the ids of another user: the result equals that for missing ids, and nothing of the other user changes. A
// mutator without a row fails.
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../worker/db/new-id.ts'
import { mutatorNames } from '../../support/contract-names.ts'
import { connected, me, recentThreads, type Wire } from '../sync-wire.ts'
import {
  belongingsOf,
  fileCalled,
  type Ids,
  missingIdsOf,
  type OtherUser,
  otherUsers,
  type Scene,
  setScene,
  type TestUser,
} from './scene.ts'

const newLink = () => ({ name: null, lifetime: null, isListed: false })
const turn = () => ({ modelId: 'kimi-k2', answerId: newId(), at: 1 })

/** The arguments of a user who knows the owner's ids, about the owner's thread or the user's. */
type Attempt = (ids: Ids, own: TestUser) => object

const importOf = (changes: object) => {
  const message = { id: newId(), parentId: null, role: 'user', text: 'hello', createdAt: 1, ...changes }
  return { threads: [{ id: newId(), title: 'Mine', headId: message.id, createdAt: 1, updatedAt: 1, messages: [message] }] }
}

/** Refused because another user's file looks missing. */
const withFile = (attempt: Attempt) => ({ attempt, code: 'file_missing' })

/** `settings.update` has no ids, and those of `projects.create` and `prompts.save` are new. */
const attempts: { readonly [mutator: string]: readonly (Attempt | ReturnType<typeof withFile>)[] } = {
  'threads.send': [
    ({ messageId }) => ({ ...turn(), threadId: newId(), messageId: newId(), parentId: messageId, text: 'hello' }),
    ({ threadId, answerId }) => ({ ...turn(), threadId, messageId: newId(), parentId: answerId, text: 'hello' }),
    withFile(({ fileId }) => ({ ...turn(), threadId: newId(), messageId: newId(), parentId: null, text: '', files: [fileCalled(fileId)] })),
  ],
  'threads.answer': [
    ({ threadId, messageId }) => ({ ...turn(), threadId, parentId: messageId }),
    ({ threadId, messageId, answerId }) => ({ ...turn(), threadId, parentId: messageId, continueId: answerId }),
    ({ threadId, messageId, answerId }) => ({ ...turn(), threadId, parentId: messageId, insteadOf: answerId }),
    ({ messageId, answerId }, { threadId }) => ({ ...turn(), threadId, parentId: messageId, insteadOf: answerId }),
  ],
  'threads.stop': [({ threadId }) => ({ threadId })],
  'threads.rename': [({ threadId }) => ({ threadId, title: 'Mine now' })],
  'threads.setOffTools': [({ threadId }) => ({ threadId, offTools: ['web'] })],
  'threads.setEffort': [({ threadId }) => ({ threadId, modelId: 'gpt-5', effort: 'low' })],
  'threads.pin': [({ threadId }) => ({ threadIds: [threadId], isPinned: true, at: 1 })],
  'threads.archive': [({ threadId }) => ({ threadIds: [threadId], isArchived: true, at: 1 })],
  'threads.move': [
    ({ threadId }) => ({ threadIds: [threadId], projectId: null }),
    ({ projectId }, { threadId }) => ({ threadIds: [threadId], projectId }),
  ],
  'threads.markRead': [({ threadId }) => ({ threadId, unreadAt: 1 })],
  'threads.claimNotice': [({ threadId }) => ({ threadId, unreadAt: 1 })],
  'threads.delete': [({ threadId }) => ({ threadIds: [threadId], at: 1 })],
  'threads.restore': [({ deletedThreadId }) => ({ threadIds: [deletedThreadId] })],
  'projects.create': [],
  'projects.update': [({ projectId }) => ({ id: projectId, name: 'Mine now', at: 1 })],
  'projects.addFile': [
    ({ projectId }) => ({ id: projectId, file: fileCalled(newId()), at: 1 }),
    withFile(({ fileId }, { projectId }) => ({ id: projectId, file: fileCalled(fileId), at: 1 })),
  ],
  'projects.removeFile': [({ projectId, fileId }) => ({ id: projectId, fileId, at: 1 })],
  'projects.delete': [({ projectId }) => ({ id: projectId, at: 1 })],
  'projects.restore': [({ projectId }) => ({ id: projectId, at: 1 })],
  'prompts.save': [],
  'prompts.delete': [({ promptId }) => ({ id: promptId })],
  'prompts.restore': [({ promptId }) => ({ id: promptId })],
  'prompts.share': [
    ({ promptId }) => ({ id: promptId, organizationId: null }),
    ({ promptId, organizationId }) => ({ id: promptId, organizationId }),
  ],
  'approvals.decide': [({ approvalId }) => ({ id: approvalId, answerId: newId(), decision: 'once' })],
  'approvals.renew': [
    ({ threadId, answerId }) => ({ threadId, messageId: answerId }),
    ({ answerId }, { threadId }) => ({ threadId, messageId: answerId }),
  ],
  'approvals.revoke': [({ threadId }) => ({ threadId, sourceId: 'notes', tool: 'save_note' })],
  'drafts.save': [({ threadId }) => ({ threadId, text: 'Mine now', revision: newId(), base: null })],
  'shares.create': [
    ({ threadId, answerId }) => ({ ...newLink(), threadId, messageId: answerId }),
    ({ answerId }, { threadId }) => ({ ...newLink(), threadId, messageId: answerId }),
  ],
  'shares.revoke': [({ shareId }) => ({ id: shareId })],
  'threads.show': [({ threadId, messageId }) => ({ threadId, messageId })],
  'threads.import': [
    withFile(({ fileId }) => importOf({ files: [fileCalled(fileId)] })),
    // A message of another thread is refused like one that no user has.
    { attempt: ({ messageId }) => importOf({ parentId: messageId }), code: 'invalid_request' },
    {
      attempt: ({ answerId }) => ({ ...importOf({}), threads: [{ ...importOf({}).threads[0], headId: answerId }] }),
      code: 'invalid_request',
    },
  ],
  'threads.fork': [({ threadId, answerId }) => ({ threadId, messageId: answerId, newThreadId: newId(), at: 1 })],
  'messages.bookmark': [({ threadId, messageId }) => ({ threadId, messageId, isBookmarked: true, at: 1 })],
  'messages.delete': [({ threadId, messageId }) => ({ threadId, messageId, at: 1 })],
  'messages.restore': [({ threadId, messageId }) => ({ threadId, messageId, at: 1 })],
  'queue.add': [
    ({ threadId }) => ({ ...turn(), id: newId(), threadId, text: 'hello' }),
    withFile(({ fileId }, { threadId }) => ({ ...turn(), id: newId(), threadId, text: '', files: [fileCalled(fileId)] })),
  ],
  'queue.edit': [({ queuedId }) => ({ id: queuedId, mode: 'chat' })],
  'queue.remove': [({ queuedId }) => ({ id: queuedId })],
  'queue.send': [({ queuedId }) => ({ id: queuedId, at: 1 })],
  'research.putStep': [({ threadId, answerId }) => ({ threadId, messageId: answerId, stepId: 'step-1', text: 'Mine now', at: 1 })],
  'research.removeStep': [({ threadId, answerId }) => ({ threadId, messageId: answerId, stepId: 'step-1', at: 1 })],
  'research.dismiss': [({ threadId, answerId }) => ({ threadId, messageId: answerId, isDismissed: true, at: 1 })],
  'research.start': [({ threadId, answerId }) => ({ ...turn(), threadId, messageId: answerId })],
  'settings.update': [],
}

let scene: Scene
beforeAll(async () => {
  scene = await setScene()
})

test('every mutator has a row', () => {
  expect(mutatorNames).toEqual(Object.keys(attempts).sort())
})

const resultOf = async (wire: Wire, name: string, args: object): Promise<unknown> => {
  const id = wire.mutate(name, args)
  await wire.confirmed(id)
  return wire.results.get(`${wire.clientID}/${id}`)
}

const cases = Object.entries(attempts).flatMap(([name, tries]) =>
  tries.map((made, i) => ({
    name,
    label: `${name} ${i + 1}`,
    ...(typeof made === 'function' ? { attempt: made, code: 'not_found' } : made),
  })),
)

describe.each(otherUsers)('[A6] as a %s', (who: OtherUser) => {
  let wire: Wire
  beforeAll(async () => {
    wire = await connected(scene.otherUsers[who], { queries: [me, recentThreads] })
  })

  test.each(cases)('$label', async ({ name, attempt, code }) => {
    const own = scene.otherUsers[who]
    const before = await belongingsOf(scene.ids.userId)
    const foreign = await resultOf(wire, name, attempt(scene.ids, own))
    // Not refused as malformed, which would test nothing.
    expect(foreign).toMatchObject({ error: 'app', details: { code } })
    expect(foreign).toEqual(await resultOf(wire, name, attempt(missingIdsOf(), own)))
    expect(await belongingsOf(scene.ids.userId)).toBe(before)
    for (const id of [
      scene.ids.threadId,
      scene.ids.messageId,
      scene.ids.answerId,
      scene.ids.queuedId,
      scene.ids.projectId,
      scene.ids.shareId,
      scene.ids.promptId,
    ])
      expect([...wire.rows.keys()].filter((key) => key.endsWith(`/${id}`))).toEqual([])
  })
})
